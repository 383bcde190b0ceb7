import { z } from "zod";
import { toChatMessage } from "../../conversation/chat-message.js";
import type { GenerationAnswer } from "../generation-answer.js";
import { tokenLogprobs, toLogprobs } from "../logprobs.js";

const usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
});

export const chatCompletionResponseSchema = z.object({
  id: z.string().describe("The interaction id, for /rl/set_reward."),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.literal(0),
      message: z.looseObject({ role: z.literal("assistant"), content: z.string().nullable(), refusal: z.null() }),
      finish_reason: z.enum(["stop", "length", "tool_calls"]),
      logprobs: z.object({ content: tokenLogprobs, refusal: z.null() }).nullable(),
    }),
  ),
  usage,
});

export type ChatCompletionResponse = z.input<typeof chatCompletionResponseSchema>;

export function toChatCompletion(answer: GenerationAnswer): ChatCompletionResponse {
  const { message, tokens } = answer;
  return {
    id: answer.interactionId,
    object: "chat.completion",
    created: Math.floor(answer.createdAt / 1000),
    model: answer.model,
    choices: [
      {
        index: 0,
        message: { ...toChatMessage(message), role: "assistant", content: toContent(message), refusal: null },
        finish_reason: answer.finishReason,
        logprobs: tokens ? { content: toLogprobs([tokens]), refusal: null } : null,
      },
    ],
    usage: toUsage(answer),
  };
}

/** Like OpenAI: null if there are tool calls and no text, otherwise the text, which may be empty. */
function toContent({ content, toolCalls }: GenerationAnswer["message"]): string | null {
  return content === "" && toolCalls !== undefined && toolCalls.length > 0 ? null : content;
}

export function toUsage(answer: GenerationAnswer): z.input<typeof usage> {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = answer;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
