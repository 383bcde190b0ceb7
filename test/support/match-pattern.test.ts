import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { compilePattern, matchesPattern } from "../../src/support/match-pattern.js";

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

describe("compilePattern", () => {
  it("splits the pattern once, not for each text", () => {
    const split = vi.spyOn(String.prototype, "split");
    onTestFinished(() => split.mockRestore());
    const test = compilePattern("a*c");
    const results = ["abc", "ab", "ac"].map(test);
    const splits = split.mock.calls.filter(([separator]) => (separator as unknown) === "*").length;
    expect(results).toEqual([true, false, true]);
    expect(splits).toBe(1);
  });
});
