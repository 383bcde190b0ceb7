import { z } from "zod";
import type { RecordedTokens } from "./generation.js";

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
