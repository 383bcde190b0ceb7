import { type AddedToken, isNormalized } from "./added-token.js";

/** Cuts a text into pieces that can be encoded on their own: their ids, one after the other, are those of the whole. */
export type Splitter = (text: string) => string[];

/**
 * The cuts are made right before added tokens. Those are taken out of the text first, and what lies between them is
 * encoded section by section, so that no merge reaches across such a cut. Behind it would be as good, but some
 * tokenizers treat the first section of a text in a way of its own (Metaspace's `prepend_scheme: "first"`), and a
 * piece that begins with an added token has none.
 *
 * No cut is made before a token that takes the white space before it away (`lstrip`), and at tokens that are found
 * only after normalization a cut is made only where normalization changes nothing.
 */
export function splitterFor(tokens: readonly AddedToken[], normalizer: unknown): Splitter {
  const plain = tokens.filter((token) => !isNormalized(token) || normalizer === null || normalizer === undefined);
  const normalized = tokens.filter((token) => !plain.includes(token) && isIdentity(normalizer));
  const levels = [plain, normalized].filter((level) => level.length > 0).map(cutter);
  return (text) => levels.reduce((pieces, cut) => pieces.flatMap(cut), [text]);
}

/** No normalizer, or a sequence of none, as DeepSeek's tokenizers have. */
export function isIdentity(normalizer: unknown): boolean {
  if (typeof normalizer !== "object" || normalizer === null) return true;
  return (
    "normalizers" in normalizer && Array.isArray(normalizer.normalizers) && normalizer.normalizers.every(isIdentity)
  );
}

function cutter(tokens: readonly AddedToken[]): Splitter {
  const stripping = new Set(tokens.filter((token) => token.lstrip).map((token) => token.content));
  const pattern = new RegExp(anyOf(tokens), "g");
  return (text) => {
    const pieces: string[] = [];
    let start = 0;
    for (const match of text.matchAll(pattern)) {
      if (match.index === start || stripping.has(match[0])) continue;
      pieces.push(text.slice(start, match.index));
      start = match.index;
    }
    if (start < text.length) pieces.push(text.slice(start));
    return pieces;
  };
}

/** The source of a regular expression that matches any of the tokens, the longest where several fit. */
export function anyOf(tokens: readonly AddedToken[]): string {
  // Alternatives are tried in order: the longest first makes it the leftmost longest match, as the libraries have it.
  const contents = tokens.map((token) => token.content).sort((a, b) => b.length - a.length);
  return contents.map((content) => content.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
}
