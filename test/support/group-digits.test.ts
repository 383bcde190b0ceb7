import { expect, it } from "vitest";
import { groupDigits } from "../../src/support/group-digits.js";

it.each([0, 7, 999, 1000, 65_536, 1_048_576, 4_194_304, 1_234_567_890_123, -12, -123, -1234, -1_234_567])(
  "writes %s as toLocaleString does",
  (value) => {
    expect(groupDigits(value)).toBe(value.toLocaleString("en-US"));
  },
);

it("leaves infinity as it is", () => {
  expect(groupDigits(Number.POSITIVE_INFINITY)).toBe("Infinity");
});
