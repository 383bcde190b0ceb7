import { describe, expect, it } from "vitest";
import { findNearestName, findSimilarName } from "../../src/support/nearest-name.js";

const KNOWN = ["temperature", "top_p", "wait_seconds", "max_tokens"];

describe("the nearest name", () => {
  it.each([
    ["temprature", "temperature"],
    ["WAIT", "wait_seconds"],
    ["max_tokens_total", "max_tokens"],
    ["tp", "top_p"],
  ])("of %s is %s", (unknown, nearest) => {
    expect(findNearestName(unknown, KNOWN)).toBe(nearest);
  });
});

describe("a similar name", () => {
  it.each([
    ["Temprature", "temperature"],
    // An abbreviation, however much is left out.
    ["wai", "wait_seconds"],
    ["tok", undefined],
    ["wa", undefined],
    ["colour", undefined],
  ])("of %s is %s", (unknown, similar) => {
    expect(findSimilarName(unknown, KNOWN)).toBe(similar);
  });

  it("differs in at most half of the longer name", () => {
    expect(findSimilarName("abxx", ["abcd"])).toBe("abcd");
    expect(findSimilarName("axxx", ["abcd"])).toBeUndefined();
    expect(findSimilarName("bcd", ["abcdef"])).toBe("abcdef");
    expect(findSimilarName("abcdef", ["bcd"])).toBe("bcd");
  });
});
