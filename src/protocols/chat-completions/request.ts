import { z } from "zod";
import { chatMessagesSchema } from "../../conversation/chat-message.js";
import { listOf } from "../../conversation/list-of.js";
import type { Conversation, Tool } from "../../conversation/message.js";
import { isShallow, MAX_DEPTH } from "../depth.js";
import { RequestError } from "../request-error.js";
import type { RequestSampling } from "../sampling.js";

/**
 * The body of POST /v1/chat/completions. A parameter that changes the result and is not served is refused by name; one
 * that cannot is accepted and has no effect.
 */

const MAX_STOP_STRINGS = 16;

const wellFormed = z.string().transform((value) => value.toWellFormed());
const stopString = wellFormed.pipe(z.string().min(1, "a stop string must not be empty"));

const TOO_DEEP = `nests deeper than ${MAX_DEPTH} levels`;

const tool = z.object({
  type: z.literal("function", { error: "only function tools are supported" }),
  function: z.looseObject({ name: z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/) }).refine(isShallow, TOO_DEEP),
});

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
]);

/** A value that asks for something that is not served. `harmless` values ask for nothing. */
const unsupported = (name: string, harmless: (value: unknown) => boolean = () => false) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || harmless(value), {
      error: `${name} is not supported`,
      params: { unsupported: true },
    })
    .optional();

const noEffect = z.unknown().optional();
const count = z.int32().min(1);
const penalty = z.number().min(-2).max(2);

export const chatCompletionSchema = z.strictObject({
  model: z.string().optional(),
  messages: chatMessagesSchema,
  tools: listOf(tool).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: unsupported("parallel_tool_calls: false", (value) => value === true),
  max_tokens: count.optional(),
  max_completion_tokens: count.optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int32().min(-1).optional().describe("0 and -1 are off."),
  min_p: z.number().min(0).max(1).optional(),
  stop: z.union([stopString, listOf(stopString, { max: MAX_STOP_STRINGS })]).optional(),
  stop_token_ids: listOf(z.int32().min(0), { max: 64 }).optional(),
  seed: z.int().optional(),
  frequency_penalty: penalty.optional(),
  presence_penalty: penalty.optional(),
  logprobs: z.boolean().optional(),
  top_logprobs: z.int32().min(0).max(20).optional(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).refine(isShallow, TOO_DEEP).optional(),

  n: unsupported("n other than 1", (value) => value === 1),
  stream: unsupported("stream: true", (value) => value === false),
  stream_options: unsupported("stream_options"),
  response_format: unsupported("response_format other than text", (value) => isTyped(value, "text")),
  logit_bias: unsupported("logit_bias", (value) => isEmptyObject(value)),
  modalities: unsupported("modalities other than text", isTextOnly),
  audio: unsupported("audio"),
  functions: unsupported("functions (use tools)"),
  function_call: unsupported("function_call (use tool_choice)"),
  prediction: unsupported("prediction"),
  reasoning_effort: unsupported("reasoning_effort"),
  verbosity: unsupported("verbosity"),
  web_search_options: unsupported("web_search_options"),

  user: noEffect,
  metadata: noEffect,
  store: noEffect,
  service_tier: noEffect,
  safety_identifier: noEffect,
  prompt_cache_key: noEffect,
  prompt_cache_retention: noEffect,
});

export type ChatCompletionRequest = z.output<typeof chatCompletionSchema>;

/** What the request asks, free of its protocol. */
export interface ParsedChatCompletion {
  readonly conversation: Conversation;
  readonly sampling: RequestSampling;
  /** Whether the answer carries log probabilities. */
  readonly logprobs: boolean;
}

export function parseChatCompletion(request: ChatCompletionRequest): ParsedChatCompletion {
  const logprobs = request.logprobs ?? false;
  if (!logprobs && (request.top_logprobs ?? 0) > 0) {
    throw new RequestError("top_logprobs", "top_logprobs needs logprobs: true.");
  }
  return { conversation: toConversation(request), sampling: toSampling(request), logprobs };
}

function toConversation(request: ChatCompletionRequest): Conversation {
  const tools = shownTools(request);
  const choice = request.tool_choice;
  const templateArgs = {
    ...request.chat_template_kwargs,
    ...(tools.length > 0 && choice !== undefined ? { tool_choice: choice } : {}),
  };
  return {
    messages: request.messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(Object.keys(templateArgs).length > 0 ? { templateArgs } : {}),
  };
}

/** The tools that the prompt shows: none under "none", one where one is named. */
function shownTools({ tools = [], tool_choice: choice = "auto" }: ChatCompletionRequest): readonly Tool[] {
  if (choice === "none") return [];
  if (choice === "required" && tools.length === 0) {
    throw new RequestError("tool_choice", 'tool_choice "required" needs tools.');
  }
  if (typeof choice === "string") return tools;
  const named = tools.filter((each) => each.function.name === choice.function.name);
  if (named.length === 0) throw new RequestError("tool_choice", `There is no tool "${choice.function.name}".`);
  return named;
}

function toSampling(request: ChatCompletionRequest): RequestSampling {
  return {
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    topK: Math.max(request.top_k ?? 0, 0),
    minP: request.min_p ?? 0,
    frequencyPenalty: request.frequency_penalty ?? 0,
    presencePenalty: request.presence_penalty ?? 0,
    maxTokens: request.max_completion_tokens ?? request.max_tokens,
    stop: [request.stop ?? []].flat(),
    stopTokenIds: request.stop_token_ids ?? [],
    seed: request.seed,
    topLogprobs: request.top_logprobs ?? 0,
  };
}

function isTyped(value: unknown, type: string): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === type;
}

function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === "text";
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
