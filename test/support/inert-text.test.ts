import { expect, it } from "vitest";
import { escapeJsonLines, makeInert, makeInertLines } from "../../src/support/inert-text.js";

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

it("escapes in lines of JSON what a terminal would obey, and keeps the values", () => {
  const values = ["plain ünï", "a\u0085b\u202ec", "\u{e0001}"];
  const escaped = escapeJsonLines(`${values.map((value) => JSON.stringify(value)).join("\n")}\n`);
  expect(escaped).toBe('"plain ünï"\n"a\\u0085b\\u202ec"\n"\\udb40\\udc01"\n');
  expect(
    escaped
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(values);
});
