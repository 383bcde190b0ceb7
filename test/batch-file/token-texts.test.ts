import { expect, it } from "vitest";
import { findSpelling, packSpellings } from "../../src/batch-file/packed-spellings.js";
import { decodeTokens, type TokenEntries } from "../../src/batch-file/token-texts.js";

const [FIRST, SECOND] = [0xc3, 0xa9];
/** Tokens by id: text, the two bytes of a character, and a byte order mark. */
const ENTRIES = [
  { kind: "text", text: "a" },
  { kind: "bytes", bytes: Uint8Array.of(FIRST) },
  { kind: "bytes", bytes: Uint8Array.of(SECOND) },
  { kind: "added", text: "<e>", special: true },
  { kind: "bytes", bytes: Uint8Array.of(0xef, 0xbb, 0xbf) },
] as const;
const entries: TokenEntries = { entry: (id) => ENTRIES[id] ?? { kind: "text", text: "" } };

it.each([
  [[], true, []],
  [[0, 3], true, ["a", "<e>"]],
  [[1, 2, 0], true, ["", "é", "a"]],
  [[0, 1], true, ["a", "\uFFFD"]],
  [[0, 1], false, ["a", ""]],
  [[1, 0, 2], true, ["\uFFFD", "a", "\uFFFD"]],
  [[1, 3, 0], false, ["\uFFFD", "<e>", "a"]],
  [[4, 0], true, ["\uFEFF", "a"]],
])("decodes tokens %j, whose end is known: %j, to %j", (ids, isEnd, texts) => {
  const decoded = decodeTokens(entries, ids, isEnd);
  expect(decoded).toEqual(texts);
  expect(Object.keys(decoded)).toHaveLength(ids.length);
});

it("finds the spellings of a vocabulary, and none of ids that it does not have", () => {
  const packed = packSpellings(["a", "é", undefined, "\uFEFFb", ""]);
  expect([0, 1, 2, 3, 4, 5, 9, -1].map((id) => findSpelling(packed, id))).toEqual([
    "a",
    "é",
    undefined,
    "\uFEFFb",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(packed.bytes).toHaveLength(7);
  expect([...packed.ends]).toEqual([1, 3, 3, 7, 7]);
});
