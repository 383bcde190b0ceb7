import { expect, it } from "vitest";
import { makeInert, makeInertLines } from "../../src/support/inert-text.js";

it.each([
  ["plain, ünï 語 \u{1f600}", "plain, ünï 語 \u{1f600}"],
  ["a\u001b[31mb\u0007", "a [31mb "],
  ["a\tb\r\nc", "a b  c"],
  ["a\u202eb\u200bc\ufeff", "a b c "],
  ["a\u2028b\u2029c", "a b c"],
])("%j is printed as %j", (text, inert) => {
  expect(makeInert(text)).toBe(inert);
});

it("keeps the line breaks of a text of several lines", () => {
  expect(makeInertLines("a\u0000\r\n\nb\n")).toBe("a  \n\nb\n");
});
