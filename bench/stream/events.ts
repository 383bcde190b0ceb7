import { sglangReply } from "../export/reply.js";
import { sized } from "../sized.js";

/** 32K tokens with log probabilities in 2,000 frames. */
export const TOKENS = sized(32_768, 512);
export const FRAMES = sized(2_000, 32);
/** As the replies say. */
export const PROMPT_TOKENS = 4096;

interface Reply {
  readonly output_ids: readonly number[];
  readonly text: string;
  readonly meta_info: { readonly output_token_logprobs: readonly unknown[] };
}

/** A reply of SGLang's `/generate`, not streamed. */
export function wholeReply(): Buffer {
  return sglangReply(TOKENS, 0);
}

/** The server-sent events of the same reply, streamed. */
export function replyEvents(cumulative: boolean): Buffer[] {
  const { output_ids: ids, meta_info: meta, text } = JSON.parse(wholeReply().toString("utf8")) as Reply;
  const characters = text.length / TOKENS;
  const frames = Array.from({ length: FRAMES }, (_, frame) => {
    const end = Math.round(((frame + 1) * TOKENS) / FRAMES);
    const from = cumulative ? 0 : Math.round((frame * TOKENS) / FRAMES);
    const part = {
      text: text.slice(from * characters, end * characters),
      output_ids: ids.slice(from, end),
      meta_info: {
        ...meta,
        finish_reason: frame === FRAMES - 1 ? { type: "length", length: TOKENS } : null,
        completion_tokens: end,
        output_token_logprobs: meta.output_token_logprobs.slice(from, end),
        output_token_logprobs_length: end,
      },
    };
    return Buffer.from(`data: ${JSON.stringify(part)}\n\n`);
  });
  return [...frames, Buffer.from("data: [DONE]\n\n")];
}
