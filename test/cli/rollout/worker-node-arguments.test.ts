import { expect, it } from "vitest";
import { chooseNodeArguments } from "../../../src/cli/rollout/open-workers.js";

it.each([
  [1, 2, false],
  [2, 4, false],
  [2, 3, true],
  [2, 2, true],
])("lets each of %i workers on %i cores collect garbage with one thread: %s", (count, cores, isSingle) => {
  expect(chooseNodeArguments(count, cores).includes("--single-threaded-gc")).toBe(isSingle);
});
