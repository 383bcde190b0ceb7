import { describe, expect, it } from "vitest";
import { isShallow, MAX_DEPTH } from "../../src/protocols/depth.js";

const nest = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), 1);

describe.each<[string, (inner: unknown) => unknown]>([
  ["lists", (inner) => [0, inner]],
  ["objects", (inner) => ({ a: 0, b: inner })],
])("JSON of nested %s", (_, wrap) => {
  it("is shallow up to the limit", () => {
    expect(isShallow(nest(MAX_DEPTH, wrap))).toBe(true);
    expect(isShallow(nest(MAX_DEPTH + 1, wrap))).toBe(false);
    expect(isShallow(nest(100_000, wrap))).toBe(false);
  });
});

it.each([null, 0, "a", true, [], {}])("is shallow: %j", (value) => {
  expect(isShallow(value)).toBe(true);
});
