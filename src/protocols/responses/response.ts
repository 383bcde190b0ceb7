import { z } from "zod";
import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
import { answerVersions, toAnswerVersions } from "../token-ids.js";
import { readNamespacedNames } from "./namespaces.js";
import { addTokenIds, listItemParts, outputItem, toItem } from "./output-items.js";
import type { ResponsesRequest } from "./request.js";

const usage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

const failure = z.object({ code: z.string(), message: z.string() });

export const responseSchema = z.object({
  id: z.string().describe("The interaction id, for /rl/set_reward."),
  object: z.literal("response"),
  created_at: z.int(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
  model: z.string(),
  output: z.array(outputItem),
  usage: usage.nullable(),
  error: failure.nullable(),
  incomplete_details: z.object({ reason: z.literal("max_output_tokens") }).nullable(),
  instructions: z.string().nullable(),
  previous_response_id: z.string().nullable(),
  max_output_tokens: z.int().nullable(),
  metadata: z.record(z.string(), z.string()),
  parallel_tool_calls: z.boolean(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.null() }),
  store: z.boolean(),
  temperature: z.number(),
  text: z.object({ format: z.unknown() }),
  tool_choice: z.unknown(),
  tools: z.array(z.unknown()),
  top_logprobs: z.int(),
  top_p: z.number(),
  truncation: z.literal("disabled"),
  ...answerVersions,
});

export type ResponseBody = z.input<typeof responseSchema>;

/** The fields of a response that repeat its request. */
export type RequestEcho = Omit<
  ResponseBody,
  | "id"
  | "object"
  | "created_at"
  | "status"
  | "model"
  | "output"
  | "usage"
  | "error"
  | "incomplete_details"
  | keyof typeof answerVersions
>;

export function toEcho(request: ResponsesRequest): RequestEcho {
  return {
    instructions: request.instructions ?? null,
    previous_response_id: request.previous_response_id ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format: request.text?.format?.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: "disabled",
  };
}

/** Returns a response without output, with which a stream begins. */
export function emptyResponse({ interactionId, createdAt, model }: AnswerStart, echo: RequestEcho): ResponseBody {
  return {
    id: interactionId,
    object: "response",
    created_at: Math.floor(createdAt / 1000),
    status: "in_progress",
    model,
    output: [],
    usage: null,
    error: null,
    incomplete_details: null,
    ...echo,
  };
}

export function toResponseBody(answer: GenerationAnswer, echo: RequestEcho): ResponseBody {
  const cutOff = answer.finishReason === "length";
  const parts = listItemParts(answer);
  const last = parts.length - 1;
  const namespaced = readNamespacedNames(echo.tools);
  return {
    ...emptyResponse(answer, echo),
    status: cutOff ? "incomplete" : "completed",
    output: parts.map((part, index) => {
      const status = cutOff && index === last ? "incomplete" : "completed";
      const item = toItem(part, { responseId: answer.interactionId, index, status }, namespaced);
      return index === last ? addTokenIds(item, answer) : item;
    }),
    usage: toUsage(answer),
    incomplete_details: cutOff ? { reason: "max_output_tokens" } : null,
    ...(answer.sampled && toAnswerVersions(answer.sampled)),
  };
}

function toUsage(answer: GenerationAnswer): z.input<typeof usage> {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = answer;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
