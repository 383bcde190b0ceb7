import { describe, expect, it } from "vitest";
import { median } from "../../bench/kit/measure.js";

describe("the median", () => {
  it("is the middle value", () => expect(median([9, 1, 5])).toBe(5));
  it("is the mean of the two middle values if their number is even", () => {
    expect(median([4, 2])).toBe(3);
    expect(median([1, 100, 2, 4])).toBe(3);
  });
  it("is not a number without values", () => expect(median([])).toBeNaN());
});
