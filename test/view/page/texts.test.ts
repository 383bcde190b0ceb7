import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText } from "../../../src/view/page/state/fold-text.js";
import { formatDuration, formatNumber, formatSeconds, formatTime } from "../../../src/view/page/state/format.js";
import { indentJson } from "../../../src/view/page/state/indent-json.js";
import { formatCodePoint, splitVisible } from "../../../src/view/page/tokens/visible-text.js";

const show = (text: string): string =>
  splitVisible(text)
    .map((part) => (typeof part === "string" ? part : `[${formatCodePoint(part.codePoint)}]`))
    .join("");

describe("text of a model", () => {
  it.each([
    ["\u202Eevil\u2066", "[U+202E]evil[U+2066]"],
    ["\u001b[31mred\u0007\r\n", "[U+001B][31mred[U+0007][U+000D]\n"],
    ["a\u200bb\ufeff\u00adc\u2028", "a[U+200B]b[U+FEFF][U+00AD]c[U+2028]"],
    ["\u{e0041}\ud800", "[U+E0041][U+D800]"],
    ["tabs\tand\nlines", "tabs\tand\nlines"],
    ["👩‍💻 Grüße می‌خواهم", "👩‍💻 Grüße می‌خواهم"],
  ])("%j shows invisible characters by their code points", (text, expected) => {
    expect(show(text)).toBe(expected);
  });

  it("loses no character when it is split", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const joined = splitVisible(text).map((part) =>
          typeof part === "string" ? part : String.fromCodePoint(part.codePoint),
        );
        expect(joined.join("")).toBe(text);
      }),
    );
  });
});

describe("JSON of a tool call", () => {
  it("is indented without a change of its values", () => {
    expect(indentJson('{"a":12345678901234567890,"b":[1,2.50],"c":{"d":"x, \\u00e9"},"e":{},"a":[]}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": [1, 2.50],\n  "c": {\n    "d": "x, \\u00e9"\n  },\n  "e": {},\n  "a": []\n}',
    );
  });

  it("parses to the same value after it is indented", () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
        expect(JSON.parse(indentJson(JSON.stringify(value)) ?? "")).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each(["", "text", '{"a":', '"text"', "[1,]", "{'a': 1}"])("%j is not indented", (text) => {
    expect(indentJson(text)).toBeUndefined();
  });
});

describe("a long text", () => {
  it("is folded after 24 lines", () => {
    const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
    const { shown, hiddenLines, hiddenCharacters } = foldText(text, 0);
    expect(shown.split("\n")).toHaveLength(24);
    expect(hiddenCharacters).toBe(text.length - shown.length);
    expect(hiddenLines).toBe(77);
    expect(foldText(text, 1)).toEqual({ shown: text, hiddenLines: 0, hiddenCharacters: 0 });
  });

  it("is not folded inside a surrogate pair", () => {
    expect(foldText(`x${"😀".repeat(5000)}`, 0).shown.isWellFormed()).toBe(true);
  });

  it("is shown whole if at most a tenth would be hidden", () => {
    expect(foldText("a".repeat(2100), 0).hiddenCharacters).toBe(0);
  });
});

describe("numbers", () => {
  it.each([
    [0, "0"],
    [1234, "1,234"],
    [0.6, "0.6"],
    [-0.25, "−0.25"],
    [12.3456, "12.3"],
    [null, "–"],
  ])("%s is written as %s", (value, expected) => {
    expect(formatNumber(value)).toBe(expected);
  });

  it.each([
    [0.85, "850 ms"],
    [12.34, "12.3 s"],
    [245, "4 min 5 s"],
    [7380, "2 h 3 min"],
  ])("%s seconds are %s", (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected);
  });

  it.each([
    [0.055, "0.055"],
    [2.5, "2.5"],
    [1200, "1.2K"],
    [null, "–"],
  ])("shows %d s as a bound of a histogram", (seconds, expected) => {
    expect(formatSeconds(seconds)).toBe(expected);
  });

  it("shows no time for a number that is not a time", () => {
    expect([formatTime(1e300), formatTime(Number.NaN), formatTime(null)]).toEqual(["–", "–", "–"]);
  });
});
