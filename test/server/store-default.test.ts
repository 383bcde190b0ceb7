import { expect, it } from "vitest";
import { chooseStoreBytes } from "../../src/server/limits/configured-limits.js";

const GIBIBYTE = 2 ** 30;

it.each([
  ["half of what the heap and request bodies leave", 32, 4, 0.5, 13.75],
  ["an eighth of all memory if the heap and request bodies leave little", 2, 1, 0.5, 0.25],
  ["an eighth of all memory if they leave nothing", 2, 4, 0.5, 0.25],
])("the default limit of the store is %s", (_, available, heap, bodies, expected) => {
  const bytes = chooseStoreBytes(available * GIBIBYTE, bodies * GIBIBYTE, heap * GIBIBYTE);
  expect(bytes / GIBIBYTE).toBe(expected);
});
