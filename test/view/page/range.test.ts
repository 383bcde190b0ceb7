import { describe, expect, it } from "vitest";
import { formatRange, overlaps, parseRange, type Range } from "../../../src/view/page/state/range.js";

const RANGES: readonly (readonly [text: string, range: Range])[] = [
  ["3", { low: 3, high: 3 }],
  ["-1", { low: -1, high: -1 }],
  ["0.5", { low: 0.5, high: 0.5 }],
  ["0.5..1", { low: 0.5, high: 1 }],
  ["0.5..<0.75", { low: 0.5, high: 0.75, open: true }],
  ["-0.5..-0.25", { low: -0.5, high: -0.25 }],
  ["2..", { low: 2, high: Infinity }],
  ["..8", { low: -Infinity, high: 8 }],
  ["1e-7..2e+21", { low: 1e-7, high: 2e21 }],
];

describe("a range in an address", () => {
  it.each(RANGES)("%s is read as it was written", (text, range) => {
    expect(parseRange(text)).toEqual(range);
    expect(formatRange(range)).toBe(text);
  });

  it.each(["", "..", "..<", "a", "1..b", "NaN", "Infinity..2", "1...2", "1..2..3"])("%j is not a range", (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  it("includes its upper bound unless it is open", () => {
    expect(overlaps({ low: 1, high: 2 }, 2, 2)).toBe(true);
    expect(overlaps({ low: 1, high: 2, open: true }, 2, 2)).toBe(false);
    expect(overlaps({ low: 1, high: 2 }, 0, 0.5)).toBe(false);
    expect(overlaps({ low: 1, high: 2 }, 0, 3)).toBe(true);
  });
});
