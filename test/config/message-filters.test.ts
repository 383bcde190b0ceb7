import { describe, expect, it } from "vitest";
import { compileMessageFilters, listUnsafeFilters, parseConfig } from "../../src/config/index.js";
import { toTextFilters } from "../../src/conversation/text-filter.js";
import { readProblems } from "./helpers.js";

const config = (...message_filters: unknown[]) => parseConfig({ rollout: { agent: { message_filters } } });

const remove = (filter: unknown, text: string): string | undefined =>
  toTextFilters(compileMessageFilters(config(filter)))[0]?.removeMatches(text);

describe("a message filter", () => {
  it.each([
    ["^.$", "😀", ""],
    ["\\d+", "a1b22", "ab"],
    ["date: \\S+", "date: 2026-11-22 and date: x", " and "],
    ["\\u{1F600}", "a😀b", "ab"],
    ["(?<id>[0-9a-f]{4})-", "1a2b-x", "x"],
    ["$1", "costs $1", "costs $1"],
  ])("%s removes every match, by code point", (pattern, text, rest) => {
    expect(remove(pattern, text)).toBe(rest);
    expect(remove({ pattern, unsafe: true }, text)).toBe(rest);
  });

  // JavaScript's engine takes 2^50 steps.
  it("takes linear time", () => {
    const text = `${"a".repeat(50)}!`;
    expect(remove("(a+)+$", text)).toBe(text);
  });

  it.each(["(?=x)y", "(x)\\1", "(?<!a)b"])("%s is refused, and accepted as unsafe", (pattern) => {
    const [problem] = Object.values(readProblems(() => config(pattern)));
    expect(problem).toMatch(/^expected .* without look-arounds and back-references, or \{pattern, unsafe: true\}: /);
    expect(listUnsafeFilters(config("a", { pattern, unsafe: true }))).toEqual([pattern]);
  });

  it.each([
    ["(", /^expected a regular expression: .+\(/],
    [{ pattern: "(", unsafe: true }, /^expected a JavaScript regular expression: .+\(/],
  ])("%j is refused with the reason", (filter, problem) => {
    expect(Object.values(readProblems(() => config(filter)))[0]).toMatch(problem);
  });
});
