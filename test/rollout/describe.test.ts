import { expect, it } from "vitest";
import { describe } from "../../src/rollout/describe.js";

class Solver {}

it.each<[unknown, string]>([
  ["a", 'the string "a"'],
  ["x".repeat(81), `the string "${"x".repeat(80)}"`],
  [1.5, "the number 1.5"],
  [7n, "the bigint 7"],
  [null, "null"],
  [undefined, "undefined"],
  [false, "false"],
  [Symbol("a"), "a symbol"],
  [function solve() {}, "the function solve"],
  [
    (
      () => () =>
        1
    )(),
    "a function without a name",
  ],
  [Solver, "the class Solver"],
  [(() => class {})(), "a class without a name"],
  [[1], "an array"],
  [new Solver(), "an instance of Solver"],
  [{}, "an object without keys"],
  [Object.create(null), "an object without keys"],
  [{ a: 1, constructor: { name: 1 } }, "an object with a, constructor"],
  [Object.fromEntries("abcdefgh".split("").map((key) => [key, 1])), "an object with a, b, c, d, e, f, g, h"],
  [Object.fromEntries("abcdefghi".split("").map((key) => [key, 1])), "an object with a, b, c, d, e, f, g, h, …"],
])("describes %o as %s", (value, text) => {
  expect(describe(value)).toBe(text);
});
