import { z } from "zod";
import type { TopLogprobs } from "../native/contract.js";

/** Recorded output tokens, with functions that return their text. */
export interface RecordedTokens {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly top: TopLogprobs | undefined;
  /** Returns the text of one token. An incomplete character becomes U+FFFD. */
  readonly tokenText: (id: number) => string;
  /** Returns the UTF-8 bytes that one token adds to the text. */
  readonly tokenBytes: (id: number) => Uint8Array;
}

const tokenLogprob = z.object({
  token: z.string(),
  logprob: z.number().describe("Natural logarithm."),
  bytes: z.array(z.int()).describe("UTF-8 bytes. A token may hold only a part of a character."),
});

/** `logprobs` of a choice or of a text part: one entry per recorded token. */
export const tokenLogprobs = z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }));

export type TokenLogprobs = z.input<typeof tokenLogprobs>;

/** Returns one entry per recorded token, including the end-of-turn token. */
export function toLogprobs(tokens: RecordedTokens): TokenLogprobs {
  const { ids, logprobs, top } = tokens;
  return Array.from(ids, (id, i) => ({
    ...toEntry(tokens, id, logprobs[i] ?? 0),
    top_logprobs: top ? listAlternatives(tokens, top, i * top.width) : [],
  }));
}

/** Lists one token's alternatives, which begin at `start`. A negative id marks an unused place. */
function listAlternatives(tokens: RecordedTokens, { ids, logprobs, width }: TopLogprobs, start: number) {
  const entries = [];
  for (let i = start; i < start + width; i++) {
    const id = ids[i] ?? -1;
    if (id >= 0) entries.push(toEntry(tokens, id, logprobs[i] ?? 0));
  }
  return entries;
}

function toEntry(tokens: RecordedTokens, id: number, logprob: number) {
  return { token: tokens.tokenText(id), logprob, bytes: Array.from(tokens.tokenBytes(id)) };
}
