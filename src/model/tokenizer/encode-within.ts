import type { EncodedText, KnownTexts } from "./encoded-text.js";
import type { Tokenizer } from "./tokenizer.js";
import { lengthOf } from "./total-length.js";

/** Text has fewer characters per token, but for long runs of one character: where there are more it may well not fit. */
const MOST_CHARACTERS = 8;
const SLICE_LENGTH = 1 << 18;

/** A text has more tokens than there may be. It was not encoded to its end. */
export class TooManyTokensError extends Error {
  override readonly name = "TooManyTokensError";
  /** Those that were counted: the text has at least so many. */
  readonly tokens: number;

  constructor(tokens: number) {
    super(`the text has ${tokens} tokens or more`);
    this.tokens = tokens;
  }
}

/**
 * Encodes as {@link Tokenizer.encode}. A text that is so long that it hardly fits is encoded slice by slice, and given up
 * where the limit is passed: what cannot be used costs no more than a prompt that just fits.
 *
 * @throws TooManyTokensError
 */
export async function encodeWithin(
  tokenizer: Pick<Tokenizer, "encode" | "slices">,
  text: string,
  maxTokens = Number.POSITIVE_INFINITY,
  after = "",
): Promise<Int32Array[]> {
  if (hardlyTooLong(text.length, maxTokens)) return tokenizer.encode(text, after);
  const encoded: Int32Array[] = [];
  let tokens = 0;
  for (const [index, slice] of tokenizer.slices(text, SLICE_LENGTH).entries()) {
    const pieces = await tokenizer.encode(slice, index === 0 ? after : "");
    tokens += lengthOf(pieces);
    if (tokens > maxTokens) throw new TooManyTokensError(tokens);
    encoded.push(...pieces);
  }
  return encoded;
}

/**
 * Encodes as {@link Tokenizer.encodeParts}, within the same limit. A text that is as long and fits after all is searched for
 * in the cache twice; hardly any is.
 *
 * @throws TooManyTokensError
 */
export async function encodePartsWithin(
  tokenizer: Pick<Tokenizer, "encode" | "encodeParts" | "slices">,
  parts: readonly string[],
  maxTokens = Number.POSITIVE_INFINITY,
  known?: KnownTexts,
): Promise<EncodedText> {
  if (!hardlyTooLong(lengthOf(parts), maxTokens)) await encodeWithin(tokenizer, parts.join(""), maxTokens);
  return tokenizer.encodeParts(parts, known);
}

function hardlyTooLong(characters: number, maxTokens: number): boolean {
  return characters <= Math.max(SLICE_LENGTH, maxTokens * MOST_CHARACTERS);
}
