import { expect, it } from "vitest";
import { withoutNulls } from "../../../src/support/json/without-nulls.js";

it("leaves out fields that are null, and no others", () => {
  expect(withoutNulls({ b: 1, a: null, c: undefined, d: 0, e: [null] })).toEqual({
    b: 1,
    c: undefined,
    d: 0,
    e: [null],
  });
});

it("returns the object itself if no field is null", () => {
  const value = { b: 1, a: false };
  expect(withoutNulls(value)).toBe(value);
});
