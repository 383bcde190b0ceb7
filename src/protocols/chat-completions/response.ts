import { z } from "zod";
import { toChatMessage } from "../../conversation/chat-message.js";
import type { GenerationAnswer, RecordedTokens } from "../generation.js";

const tokenLogprob = z.object({
  token: z.string(),
  logprob: z.number().describe("Natural logarithm."),
  bytes: z.array(z.int()).nullable().describe("UTF-8 bytes; null where the token is a part of a character."),
});

export const chatCompletionResponseSchema = z.object({
  id: z.string().describe("The interaction id, for /rl/set_reward."),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.looseObject({ role: z.literal("assistant"), content: z.string(), refusal: z.null() }),
      finish_reason: z.enum(["stop", "length"]),
      logprobs: z
        .object({
          content: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })),
          refusal: z.null(),
        })
        .nullable(),
    }),
  ),
  usage: z.object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  }),
});

export type ChatCompletionResponse = z.input<typeof chatCompletionResponseSchema>;

export function toChatCompletion(answer: GenerationAnswer): ChatCompletionResponse {
  const { promptTokens, completionTokens, cachedTokens } = answer.usage;
  const message = { ...toChatMessage(answer.message), role: "assistant" as const, content: answer.message.content };
  return {
    id: answer.interactionId,
    object: "chat.completion",
    created: Math.floor(answer.createdAt / 1000),
    model: answer.model,
    choices: [
      {
        index: 0,
        message: { ...message, refusal: null },
        finish_reason: answer.finishReason,
        logprobs: answer.tokens ? { content: toLogprobs(answer.tokens), refusal: null } : null,
      },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    },
  };
}

/** One entry per recorded token, end-of-turn token included: as many as usage.completion_tokens. */
function toLogprobs(tokens: RecordedTokens) {
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

const encoder = new TextEncoder();

function entry(tokens: RecordedTokens, id: number, logprob: number) {
  const token = tokens.textOf(id);
  return { token, logprob, bytes: token.includes("\uFFFD") ? null : Array.from(encoder.encode(token)) };
}
