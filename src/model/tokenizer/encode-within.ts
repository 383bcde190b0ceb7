import { eventLoop } from "../../support/async/event-loop.js";
import type { EncodedText, KnownTexts } from "./encoded-text.js";
import type { Tokenizer } from "./tokenizer.js";
import { totalLength } from "./total-length.js";

/** Most texts have fewer characters per token, except long runs of one character. A longer text may exceed the limit. */
const MAX_CHARACTERS_PER_TOKEN = 8;
const SLICE_LENGTH = 1 << 18;

/** A text has more tokens than its limit. It was not encoded to its end. */
export class TooManyTokensError extends Error {
  override readonly name = "TooManyTokensError";
  /** The tokens counted so far: a lower bound. */
  readonly tokens: number;

  constructor(tokens: number) {
    super(`the text has at least ${tokens} tokens`);
    this.tokens = tokens;
  }
}

/**
 * Encodes like {@link Tokenizer.encode}, with a limit. A text that may exceed the limit is encoded slice by slice and
 * abandoned at the limit, so a text that is too long costs no more than one that just fits.
 *
 * @throws TooManyTokensError if a text that is encoded in slices exceeds the limit; other texts are encoded to their end
 */
export async function encodeWithin(
  tokenizer: Pick<Tokenizer, "encode" | "slices">,
  text: string,
  maxTokens = Number.POSITIVE_INFINITY,
  after = "",
): Promise<Int32Array[]> {
  if (probablyFits(text.length, maxTokens)) return tokenizer.encode(text, after);
  const encoded: Int32Array[] = [];
  let tokens = 0;
  let before = after;
  for (const slice of tokenizer.slices(text, SLICE_LENGTH)) {
    // The ids of a slice may all be in the cache. Then nothing else would wait.
    await eventLoop.yield();
    const pieces = await tokenizer.encode(slice, before);
    before = "";
    tokens += totalLength(pieces);
    if (tokens > maxTokens) throw new TooManyTokensError(tokens);
    encoded.push(...pieces);
  }
  return encoded;
}

/**
 * Encodes like {@link Tokenizer.encodeParts}, with the same limit. A long text that fits after all is looked up in the cache
 * twice, which is rare.
 *
 * @throws TooManyTokensError as in {@link encodeWithin}
 */
export async function encodePartsWithin(
  tokenizer: Pick<Tokenizer, "encode" | "encodeParts" | "slices">,
  parts: readonly string[],
  maxTokens = Number.POSITIVE_INFINITY,
  known?: KnownTexts,
): Promise<EncodedText> {
  if (!probablyFits(totalLength(parts), maxTokens)) await encodeWithin(tokenizer, parts.join(""), maxTokens);
  return tokenizer.encodeParts(parts, known);
}

function probablyFits(characters: number, maxTokens: number): boolean {
  return characters <= Math.max(SLICE_LENGTH, maxTokens * MAX_CHARACTERS_PER_TOKEN);
}
