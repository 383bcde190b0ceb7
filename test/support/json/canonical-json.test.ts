import { expect, it } from "vitest";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { canonicalJson } from "../../../src/support/json/canonical-json.js";

it.each([
  [' { "b" : [ 1, 2 ],\n "a" : { } } ', '{"a":{},"b":[1,2]}'],
  ['"\\u0041\\n"', '"A\\n"'],
  ["[true, false, null]", "[true,false,null]"],
  ["17", "17"],
  ["-3", "-3"],
  ["-0", "0"],
  ["0.0e5", "0"],
  ["1.50", "15e-1"],
  ["100", "1e2"],
  ["1e2", "1e2"],
  ["0.1e3", "1e2"],
  ["12345678901234567891", "12345678901234567891"],
  ["1e999999999999999999999", undefined],
  ["1e99999999999999999999", "1e99999999999999999999"],
  ["10e-1", "1"],
  ["-0.010", "-1e-2"],
  ["10e12345678901234567", "1e12345678901234568"],
  ["1e12345678901234567", "1e12345678901234567"],
  ["{", undefined],
])("writes %s as %s", (text, canonical) => {
  expect(runAtOnce(canonicalJson(text))).toBe(canonical);
});

it("sorts keys by UTF-16 code units, and keeps the later of two equal ones", () => {
  expect(runAtOnce(canonicalJson('{"\u{1f600}":1,"\uffff":2,"a":3,"a":4}'))).toBe('{"a":4,"\u{1f600}":1,"\uffff":2}');
});
