import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import { requestMessagesSchema } from "../../conversation/chat-message.js";
import type { Conversation } from "../../conversation/message.js";
import { withoutNulls } from "../../support/json/without-nulls.js";
import { listOf } from "../../support/schema/list-of.js";
import { byType } from "../by-type.js";
import { isShallow } from "../depth.js";
import { engineSampling } from "../engine-sampling.js";
import { count, isEmpty, noEffect, requestedModel, TOO_DEEP, toolName, unsupported } from "../fields.js";
import { ignoredFields, listIgnoredFields } from "../ignored-fields.js";
import { MediaReader } from "../image-policy.js";
import { metadata } from "../metadata.js";
import type { ModelRequest } from "../model-request.js";
import { openAiSampling, readOpenAiSampling } from "../openai-sampling.js";
import { reasoningArgs, reasoningEffort } from "../reasoning.js";
import { RequestError } from "../request-error.js";
import { checkChoices, type RequestPolicies } from "../request-policies.js";
import type { RequestSampling } from "../request-sampling.js";
import { chatResponseFormat } from "../response-format.js";
import { returnRoutedExperts } from "../routed-experts.js";
import { findServerTools, leaveOut, type ServerToolField, serverTool } from "../server-tools.js";
import { type Prefilled, splitPrefill } from "../split-prefill.js";
import { readTokenBudget, thinkingTokenBudget } from "../thinking-token-budget.js";
import { returnTokenIds } from "../token-ids.js";
import { requiresCall, selectTools, type ToolChoice, toCallRules, toTemplateChoice } from "../tool-choice.js";
import type { ChatStreamOptions } from "./stream.js";

/**
 * The body of POST /v1/chat/completions. A parameter that would change the result but is not supported is refused by
 * name. A parameter that cannot change the result is accepted and ignored.
 */

const tool = z.object({
  type: z.literal("function"),
  // Templates print a tool as it is, and SDKs write null for a missing description or schema.
  function: acceptAsWritten(z.looseObject({ name: toolName }).refine(isShallow, TOO_DEEP)).transform(withoutNulls),
});

const allowedTool = z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) });
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
  z
    .object({
      type: z.literal("allowed_tools"),
      allowed_tools: z.object({ mode: z.enum(["auto", "required"]), tools: listOf(allowedTool, { min: 1 }) }),
    })
    .transform(({ type, allowed_tools: { mode, tools } }) => ({
      type,
      mode,
      names: tools.map((tool) => tool.function.name),
    })),
]);

const streamOptions = z.strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: noEffect });

export const chatCompletionSchema = z.strictObject({
  model: requestedModel.optional(),
  messages: requestMessagesSchema,
  tools: listOf(byType({ function: tool }, serverTool("function tools"))).optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_tokens: count.optional(),
  max_completion_tokens: count.optional(),
  ...openAiSampling,
  n: count.optional().describe("Number of answers. Each is recorded as an interaction of its own."),
  logprobs: z.boolean().optional(),
  top_logprobs: z.int32().min(0).max(20).optional(),
  response_format: chatResponseFormat.optional(),
  reasoning_effort: reasoningEffort.optional(),
  continue_final_message: z
    .boolean()
    .optional()
    .describe("Continues the last message, which must be the assistant's, instead of starting a new one."),
  add_generation_prompt: z
    .boolean()
    .optional()
    .describe("As in vLLM and SGLang: false with `continue_final_message`, true without it. Each is the default."),
  stream: z.boolean().optional(),
  stream_options: streamOptions.optional(),
  ...engineSampling,
  thinking_token_budget: thinkingTokenBudget.optional(),
  return_token_ids: returnTokenIds.optional(),
  return_routed_experts: returnRoutedExperts,
  return_tokens_as_token_ids: z
    .boolean()
    .optional()
    .describe("true: `token` of log probabilities is `token_id:` and the id, as in vLLM."),
  ...ignoredFields,

  modalities: unsupported("modalities other than text", isTextOnly),
  audio: unsupported("audio"),
  functions: unsupported("functions (use tools)"),
  function_call: unsupported("function_call (use tool_choice)"),
  prediction: unsupported("prediction"),
  verbosity: unsupported("verbosity other than medium", (value) => value === "medium"),
  web_search_options: z.unknown().optional().describe("Asks for a server-side tool, see `rollout.agent.server_tools`."),

  user: noEffect,
  metadata: metadata.nullish().transform(() => undefined),
  moderation: noEffect,
  store: noEffect,
  service_tier: noEffect,
  safety_identifier: noEffect,
  prompt_cache_key: noEffect,
  prompt_cache_options: noEffect,
  prompt_cache_retention: noEffect,
});

export type ChatCompletionRequest = z.output<typeof chatCompletionSchema>;

export interface ParsedChatCompletion extends ModelRequest {
  /** If true, a stream ends with a chunk that reports the usage. */
  readonly includeUsage: boolean;
}

export function parseChatCompletion(
  request: ChatCompletionRequest,
  policies: RequestPolicies = {},
): ParsedChatCompletion {
  const ignored = listIgnoredFields(request);
  checkChoices(request.n, "n", policies);
  const droppedTools = leaveOut(listServerTools(request), policies.serverTools);
  const logprobs = request.logprobs ?? false;
  if (!logprobs && (request.top_logprobs ?? 0) > 0) {
    throw new RequestError("top_logprobs", "top_logprobs requires logprobs: true.");
  }
  const media = new MediaReader(policies);
  const conversation = toConversation(request, media);
  const { tools = [] } = conversation;
  return {
    model: request.model,
    conversation,
    sampling: toSampling(request),
    calls: toCallRules({
      tools,
      choice: readChoice(request),
      single: request.parallel_tool_calls === false ? "parallel_tool_calls" : undefined,
      strict: tools.map((tool) => tool.function).filter((declared) => declared["strict"] === true),
    }),
    logprobs: logprobs ? "all" : "none",
    tokenIds: request.return_token_ids ? "streamed" : undefined,
    routedExperts: request.return_routed_experts,
    tokensAsIds: request.return_tokens_as_token_ids,
    choices: request.n,
    stream: request.stream ?? false,
    droppedTools,
    placeholders: media.placeholders,
    images: media.images,
    ignoredFields: ignored,
    includeUsage: request.stream_options?.include_usage ?? false,
  };
}

/** Returns what the chunks of a stream contain. */
export function toStreamOptions({ includeUsage, logprobs, tokenIds }: ParsedChatCompletion): ChatStreamOptions {
  return { includeUsage, logprobs: logprobs === "all", tokenIds: tokenIds !== undefined };
}

function listServerTools({ tools = [], web_search_options: search }: ChatCompletionRequest): ServerToolField[] {
  const declared = findServerTools(tools, (type) => type === "function");
  if (search === undefined || search === null) return declared;
  return [...declared, { param: "web_search_options", type: "web_search_options" }];
}

type FunctionTool = z.output<typeof tool>;

function listTools({ tools = [] }: ChatCompletionRequest): FunctionTool[] {
  return tools.filter((each): each is FunctionTool => each.type === "function");
}

/** Returns the choice between the function tools; undefined if only a server-side tool can be chosen. */
function readChoice(request: ChatCompletionRequest): ToolChoice | undefined {
  const { tools = [], tool_choice: choice } = request;
  return choice === "required" && tools.length > 0 && listTools(request).length === 0 ? undefined : choice;
}

function toConversation(request: ChatCompletionRequest, media: MediaReader): Conversation {
  const choice = readChoice(request);
  const tools = selectTools(listTools(request), choice);
  const templateArgs = {
    ...reasoningArgs(request.reasoning_effort),
    ...request.chat_template_kwargs,
    ...(tools.length > 0 && choice !== undefined ? { tool_choice: toTemplateChoice(choice) } : {}),
  };
  const { messages, prefill } = readMessages(request, media);
  return {
    messages,
    ...(prefill === undefined ? {} : { prefill }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(isEmpty(templateArgs) ? {} : { templateArgs }),
  };
}

function readMessages(request: ChatCompletionRequest, media: MediaReader): Prefilled {
  const { continue_final_message: continues = false, tool_choice: choice, response_format: format } = request;
  const messages = request.messages.map(({ message, content }, i) =>
    content ? { ...message, content: media.readContent(content, `messages[${i}].content`) } : message,
  );
  if (request.add_generation_prompt === continues) {
    const message = `add_generation_prompt must be ${!continues} if continue_final_message is ${continues}.`;
    throw new RequestError("add_generation_prompt", message);
  }
  if (!continues) return { messages };
  const param = "continue_final_message";
  const role = messages.at(-1)?.role;
  if (role !== "assistant") {
    const message = `${param} requires a last message with role "assistant"; received role "${role}".`;
    throw new RequestError(param, message);
  }
  if (requiresCall(choice) || format) {
    const other = format ? "response_format" : "a tool_choice that requires a call";
    throw new RequestError(param, `${param} cannot be combined with ${other}.`);
  }
  return splitPrefill(messages, "messages");
}

function toSampling(request: ChatCompletionRequest): RequestSampling {
  return {
    ...readOpenAiSampling(request),
    maxTokens: request.max_completion_tokens ?? request.max_tokens,
    thinkingBudget: readTokenBudget(request),
    topLogprobs: request.top_logprobs ?? 0,
    structure: request.response_format,
  };
}

function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === "text";
}
