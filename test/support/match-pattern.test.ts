import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesPattern } from "../../src/support/match-pattern.js";

describe("matchesPattern", () => {
  it.each([
    ["qwen", "qwen", true],
    ["qwen", "qwen3", false],
    ["qwen3", "qwen", false],
    ["qwen3-4b", "qwen*", true],
    ["qwen3-4b", "*-4b", true],
    ["qwen3-4b", "q*3*b", true],
    ["qwen3-4b", "q*5*b", false],
    ["", "", true],
    ["", "*", true],
    ["a", "", false],
    ["a.c", "a.c", true],
    ["abc", "a.c", false],
    ["a\nb", "a*b", true],
    ["*", "*", true],
    ["*a", "*", true],
  ])("compares %j with %j: %s", (text, pattern, expected) => {
    expect(matchesPattern(text, pattern)).toBe(expected);
  });

  it("agrees with a regular expression", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (given, pattern) => {
        const parts = pattern.split("*").map((part) => part.replaceAll(".", "[.]"));
        expect(matchesPattern(given, pattern)).toBe(new RegExp(`^${parts.join(".*")}$`).test(given));
      }),
      { numRuns: 2000 },
    );
  });
});
