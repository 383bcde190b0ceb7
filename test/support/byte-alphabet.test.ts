import { expect, it } from "vitest";
import { byteAlphabet } from "../../src/support/byte-alphabet.js";

it("has a character of its own for each byte", () => {
  const alphabet = byteAlphabet();
  expect(alphabet).toHaveLength(256);
  expect(new Set(alphabet).size).toBe(256);
});

it("has printable Latin-1 characters for themselves", () => {
  const alphabet = byteAlphabet();
  for (const character of "!~¡¬®ÿ") expect(alphabet[character.charCodeAt(0)]).toBe(character);
});

it("has the characters from U+0100 on for the others, in their order", () => {
  const alphabet = byteAlphabet();
  // As in GPT-2's vocabulary, where a space is Ġ and a line feed is Ċ.
  expect([alphabet[0], alphabet[10], alphabet[32], alphabet[127], alphabet[160], alphabet[173]]).toEqual([
    "Ā",
    "Ċ",
    "Ġ",
    "ġ",
    "ł",
    "Ń",
  ]);
});
