import { describe, expect, it } from "vitest";
import { toTextFilters } from "../../src/conversation/text-filter.js";

describe("a filter of messages", () => {
  it.each([/[0-9]/, /[0-9]/g, /[0-9]/i])("removes every match of %s", (filter) => {
    const [text] = toTextFilters([filter]);
    expect(text?.removeMatches("a1b2")).toBe("ab");
    expect(text?.removeMatches("3c")).toBe("c");
  });

  it("keeps the flags of its expression", () => {
    expect(toTextFilters([/A/i])[0]?.removeMatches("aAb")).toBe("b");
    expect(toTextFilters([/A/])[0]?.removeMatches("aAb")).toBe("ab");
  });

  it("is what it is if it is an object", () => {
    const filter = { removeMatches: (text: string) => `${text}!` };
    expect(toTextFilters([filter])).toEqual([filter]);
  });
});
