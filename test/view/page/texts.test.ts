import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import { beginningOf } from "../../../src/view/page/components/episode/beginning-of.js";
import { foldText } from "../../../src/view/page/state/fold-text.js";
import {
  formatCompact,
  formatDuration,
  formatElapsed,
  formatNumber,
  formatSeconds,
  formatShare,
  formatTime,
  formatVersions,
  formatWhole,
  plural,
} from "../../../src/view/page/state/format.js";
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

describe("the beginning of a message", () => {
  const message = (fields: Partial<Message>): Message => ({ role: "assistant", content: "", ...fields });

  it.each([
    ["Two\n  words ", message({ content: "\n Two\n  words " }), "Two words"],
    ["a call", message({ toolCalls: [{ id: "", name: "read", arguments: "{}" }] }), "read()"],
    [
      "calls and a text",
      message({
        content: "Now:",
        toolCalls: ["read", "write"].map((name) => ({ id: "", name, arguments: "{}" })),
      }),
      "read(), write() Now:",
    ],
    ["reasoning", message({ reasoning: "Hm." }), "reasoning only"],
    ["nothing", message({}), "empty answer"],
    ["a long text", message({ content: "word ".repeat(100) }), "word ".repeat(16)],
    ["a text after many spaces", message({ content: `${" ".repeat(320)}late` }), "empty answer"],
  ])("of %s is one short line", (_, full, expected) => {
    expect(beginningOf(full)).toBe(expected);
  });
});

describe("JSON of a tool call", () => {
  it("is indented without a change of its values", () => {
    expect(indentJson('{"a":12345678901234567890,"b":[1,2.50],"c":{"d":"x, \\u00e9"},"e":{},"a":[]}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": [1, 2.50],\n  "c": {\n    "d": "x, \\u00e9"\n  },\n  "e": {},\n  "a": []\n}',
    );
  });

  it("has lists without lists inside in one line, if they are short", () => {
    const listOf = (last: string) => [...Array.from({ length: 8 }, () => "10000"), last];
    const short = listOf("1000000");
    expect(indentJson(`{"a":[${short.join()}]}`)).toBe(`{\n  "a": [${short.join(", ")}]\n}`);
    const long = listOf("10000000");
    expect(indentJson(`[${long.join()}]`)).toBe(`[\n  ${long.join(",\n  ")}\n]`);
    expect(indentJson(`[[${long.join()}],[1,2]]`)).toMatch(/\n {2}\],\n {2}\[1, 2\]\n\]$/);
    expect(indentJson("[[1],[]]")).toBe("[\n  [1],\n  []\n]");
    expect(indentJson('[{"a":1},2]')).toBe('[\n  {\n    "a": 1\n  },\n  2\n]');
    expect(indentJson(" [1,\n2] ")).toBe("[1, 2]");
    expect(indentJson('{"a":[1,2],"b":[[3,4]]}')).toBe('{\n  "a": [1, 2],\n  "b": [\n    [3, 4]\n  ]\n}');
  });

  it("is indented up to 40 levels and 200,000 characters", () => {
    const depth = 45;
    const lines = indentJson(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)?.split("\n") ?? [];
    expect(lines[39]).toMatch(/^ {78}"/);
    expect(lines[40]).toMatch(/^ {80}"/);
    expect(lines[44]).toMatch(/^ {80}"/);
    const textOf = (length: number): string => `["${"a".repeat(length - 4)}"]`;
    expect([200_000, 200_001].map((length) => indentJson(textOf(length)) === undefined)).toEqual([false, true]);
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
    expect(foldText(`x${"😀".repeat(5000)}`, 0)).toEqual({
      shown: `x${"😀".repeat(999)}`,
      hiddenLines: 1,
      hiddenCharacters: 8002,
    });
    const cutBefore = (last: string) => foldText(`${"x".repeat(1999)}${last}${"x".repeat(5000)}`, 0).shown.length;
    // The first and the last low surrogate, and the characters before and after them.
    expect(["\u{10000}", "\u{103ff}", "x\udbff", "x\ue000"].map(cutBefore)).toEqual([1999, 1999, 2000, 2000]);
  });

  it("is folded after 2,000 characters if its lines are long", () => {
    const text = `${"a".repeat(1990)}\n${"b".repeat(1990)}\nc`;
    expect(foldText(text, 0)).toEqual({ shown: text.slice(0, 2000), hiddenLines: 2, hiddenCharacters: 1983 });
    const late = `${"a".repeat(2001)}\n${"b".repeat(1990)}`;
    expect(foldText(late, 0).shown).toBe("a".repeat(2000));
  });

  it("is unfolded in parts of 50,000 characters", () => {
    const text = "a".repeat(200_000);
    expect([1, 2, 4].map((parts) => foldText(text, parts).shown.length)).toEqual([50_000, 100_000, 200_000]);
    expect(foldText("a".repeat(55_000), 1).hiddenCharacters).toBe(0);
    expect(foldText("a".repeat(55_001), 1)).toMatchObject({ hiddenLines: 1, hiddenCharacters: 5001 });
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
    [9.9994, "9.999"],
    [10.04, "10"],
    [99.96, "100"],
    [-123.5, "−124"],
    [-1234, "−1,234"],
    [null, "–"],
    [undefined, "–"],
  ])("%s is written as %s", (value, expected) => {
    expect(formatNumber(value)).toBe(expected);
  });

  it.each([
    [null, "–"],
    [0.85, "850 ms"],
    [1, "1.0 s"],
    [12.34, "12.3 s"],
    [60, "1 min 0 s"],
    [245, "4 min 5 s"],
    [3599, "59 min 59 s"],
    [3600, "1 h 0 min"],
    [7380, "2 h 3 min"],
  ])("%s seconds are %s", (seconds, expected) => {
    expect(formatDuration(seconds)).toBe(expected);
  });

  it.each([
    [0.055, "0.055"],
    [2.5, "2.5"],
    [-2.5, "−2.5"],
    [1000, "1K"],
    [1200, "1.2K"],
    [null, "–"],
  ])("shows %d s as a bound of a histogram", (seconds, expected) => {
    expect(formatSeconds(seconds)).toBe(expected);
  });

  it.each([
    [0, "+0 s"],
    [59.4, "+59 s"],
    [60, "+1 min 0 s"],
    [245, "+4 min 5 s"],
  ])("shows %s s since the start as %s", (seconds, expected) => {
    expect(formatElapsed(seconds)).toBe(expected);
  });

  it("are counts, shares, versions and times, if they are known", () => {
    expect([1234.6, null].map(formatWhole)).toEqual(["1,235", "–"]);
    expect([12_345, undefined].map(formatCompact)).toEqual(["12.3K", "–"]);
    expect([0.1234, null].map(formatShare)).toEqual(["12.3%", "–"]);
    expect([plural(1, "call"), plural(2000, "call"), plural(0, "reply", "replies")]).toEqual([
      "1 call",
      "2,000 calls",
      "0 replies",
    ]);
    expect([formatVersions(3, 5), formatVersions(3, 3), formatVersions(3, null), formatVersions(null, 5)]).toEqual([
      "v3–5",
      "v3",
      "v3",
      "–",
    ]);
    expect(formatTime(new Date(2026, 4, 6, 7, 8, 9).getTime() / 1000)).toBe("2026-05-06 07:08:09");
    expect([8.64e12, 8.65e12].map((seconds) => formatTime(seconds) === "–")).toEqual([false, true]);
  });

  it("shows no time for a number that is not a time", () => {
    expect([formatTime(1e300), formatTime(Number.NaN), formatTime(null)]).toEqual(["–", "–", "–"]);
  });
});
