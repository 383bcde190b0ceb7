import type { TokenEntry } from "../model/output/detokenizer/vocabulary.js";

/** The part of a vocabulary that turns tokens into text. */
export interface TokenEntries {
  entry(id: number): TokenEntry;
}

/** Number of tokens before a range that can hold the beginning of its first character: UTF-8 has at most four bytes. */
export const CHARACTER_TOKENS = 3;

/**
 * Returns the text of each token. A token that holds part of a character has the empty string; the last part has the
 * character. An invalid part becomes U+FFFD.
 *
 * @param isEnd true if no token follows that could complete the last character
 */
export function decodeTokens(entries: TokenEntries, ids: Iterable<number>, isEnd: boolean): string[] {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const texts: string[] = [];
  const endCharacter = () => {
    const rest = utf8.decode();
    if (rest !== "") texts[texts.length - 1] += rest;
  };
  for (const id of ids) {
    const entry = entries.entry(id);
    if (entry.kind === "bytes") {
      texts.push(utf8.decode(entry.bytes, { stream: true }));
    } else {
      endCharacter();
      texts.push(entry.text);
    }
  }
  if (isEnd) endCharacter();
  return texts;
}
