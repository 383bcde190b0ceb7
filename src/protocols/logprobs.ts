import { z } from "zod";
import type { TopLogprobs } from "../native/contract.js";

/** Output tokens as they were recorded. */
export interface RecordedTokens {
  readonly ids: Int32Array;
  readonly logprobs: Float32Array;
  readonly top: TopLogprobs | undefined;
  /** The text of one token; holds U+FFFD where the token is a part of a character. */
  readonly textOf: (id: number) => string;
  /** What one token adds to the text, in UTF-8. */
  readonly bytesOf: (id: number) => Uint8Array;
}

const tokenLogprob = z.object({
  token: z.string(),
  logprob: z.number().describe("Natural logarithm."),
  bytes: z.array(z.int()).describe("UTF-8 bytes, of a part of a character, too."),
});

/** `logprobs` of a choice, and of a part of a response's text: one entry per recorded token. */
export const tokenLogprobs = z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) }));

export type TokenLogprobs = z.input<typeof tokenLogprobs>;

/** One entry per recorded token, end-of-turn token included. */
export function toLogprobs(tokens: RecordedTokens): TokenLogprobs {
  const { ids, logprobs, top } = tokens;
  return Array.from(ids, (id, i) => ({
    ...entry(tokens, id, logprobs[i] ?? 0),
    top_logprobs: top ? alternatives(tokens, top.ids, top.logprobs, i * top.width, top.width) : [],
  }));
}

function alternatives(tokens: RecordedTokens, ids: Int32Array, logprobs: Float32Array, start: number, width: number) {
  const entries = [];
  for (let i = start; i < start + width; i++) {
    const id = ids[i] ?? -1;
    if (id >= 0) entries.push(entry(tokens, id, logprobs[i] ?? 0));
  }
  return entries;
}

function entry(tokens: RecordedTokens, id: number, logprob: number) {
  return { token: tokens.textOf(id), logprob, bytes: Array.from(tokens.bytesOf(id)) };
}
