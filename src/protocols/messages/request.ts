import { z } from "zod";
import type { Conversation, Message } from "../../conversation/message.js";
import { PARAMETERS } from "../../facts/sampling.js";
import { engineSampling, readParameters } from "../engine-sampling.js";
import { count, isEmpty, noEffect, requestedModel, stopStrings, unsupported } from "../fields.js";
import { MediaReader } from "../image-policy.js";
import type { ModelRequest } from "../model-request.js";
import { reasoningArgs, reasoningEffort, thinkingArgs } from "../reasoning.js";
import { NO_REASONING, type ReadReasoning } from "../reasoning-signature.js";
import { RequestError } from "../request-error.js";
import type { RequestPolicies } from "../request-policies.js";
import { DEFAULT_REQUEST, type OutputSchema, type RequestSampling, type ThinkingBudget } from "../request-sampling.js";
import { messagesFormat } from "../response-format.js";
import { leaveOut } from "../server-tools.js";
import { splitPrefill } from "../split-prefill.js";
import { noTokenIds } from "../token-ids.js";
import { toTemplateChoice } from "../tool-choice.js";
import { THREAD_PARAM } from "./anthropic-error.js";
import { clearEarlierThinking, contextManagement } from "./context-management.js";
import { type BlockReaders, inputMessages, readAnthropicMessages, systemPrompt } from "./input.js";
import { ToolLoading } from "./tool-loading.js";
import {
  anthropicToolFields,
  listAnthropicServerTools,
  listShownAnthropicTools,
  listTools,
  readAnthropicCallRules,
  readAnthropicToolChoice,
} from "./tools.js";

/** The bodies of POST /v1/messages and /v1/messages/count_tokens. */

const MIN_THINKING_BUDGET = 1024;
const BUDGET_PARAM = "thinking.budget_tokens";

const thinking = z.discriminatedUnion("type", [
  z.object({ type: z.literal("enabled"), budget_tokens: z.int32().min(MIN_THINKING_BUDGET), display: noEffect }),
  z.object({ type: z.literal("adaptive"), display: noEffect }),
  z.object({ type: z.literal("between_tools") }),
  z.object({ type: z.literal("disabled") }),
]);

const prompt = {
  model: requestedModel.optional(),
  messages: inputMessages,
  system: systemPrompt.optional(),
  ...anthropicToolFields,
  thinking: thinking
    .optional()
    .describe(
      "Turns thinking on or off, if the chat template supports that. A budget is enforced if the engine supports that.",
    ),
  output_config: z
    .strictObject({
      effort: reasoningEffort.nullish(),
      format: messagesFormat.nullish(),
      task_budget: unsupported("output_config.task_budget"),
    })
    .optional()
    .describe("effort is passed to the chat template; format is enforced by the engine's grammar."),
  output_format: messagesFormat.nullish().describe("Older name of output_config.format."),
  chat_template_kwargs: engineSampling.chat_template_kwargs,

  return_token_ids: noTokenIds,
  thread: unsupported(THREAD_PARAM),
  container: unsupported("container"),
  context_management: contextManagement,
  compaction: unsupported("compaction"),
  cache_control: noEffect,
  billing_policy: noEffect,
  fallback_credit_token: noEffect,
  fallbacks: noEffect,
  metadata: noEffect,
  service_tier: noEffect,
  speed: noEffect,
  inference_geo: noEffect,
  diagnostics: noEffect,
  user_profile_id: noEffect,
  workspace_id: noEffect,
  betas: noEffect,
  safeguards: noEffect,
};

export const anthropicCountTokensSchema = z.strictObject(prompt);

export const messagesSchema = z.strictObject({
  ...prompt,
  ...engineSampling,
  max_tokens: count,
  temperature: z.number().min(0).max(2).optional(),
  top_p: PARAMETERS.topP.schema.optional(),
  top_k: PARAMETERS.topK.schema.optional().describe("0 turns it off."),
  stop_sequences: stopStrings.optional(),
  stream: z.boolean().optional(),
});

export type AnthropicCountTokensRequest = z.output<typeof anthropicCountTokensSchema>;
export type MessagesRequest = z.output<typeof messagesSchema>;

/** The policies for a request, and its values outside of the body. */
export interface AnthropicRequestContext extends RequestPolicies {
  readonly readReasoning?: ReadReasoning;
}

export function parseMessages(request: MessagesRequest, context: AnthropicRequestContext = {}): ModelRequest {
  const { thinking: mode, max_tokens: maxTokens } = request;
  if (mode?.type === "enabled" && mode.budget_tokens >= maxTokens) {
    const message = `${BUDGET_PARAM} must be less than max_tokens (${maxTokens}); received ${mode.budget_tokens}.`;
    throw new RequestError(BUDGET_PARAM, message);
  }
  const { conversation, ...read } = readAnthropicPrompt(request, context);
  return {
    model: request.model,
    conversation,
    sampling: toSampling(request),
    calls: readAnthropicCallRules(request, conversation.tools ?? []),
    logprobs: "none",
    stream: request.stream ?? false,
    ...read,
  };
}

/** @throws RequestError for what a policy refuses */
export function readAnthropicPrompt(
  request: AnthropicCountTokensRequest,
  context: AnthropicRequestContext,
): Pick<ModelRequest, "conversation" | "droppedTools" | "placeholders" | "images"> {
  const { serverTools, readReasoning = NO_REASONING } = context;
  const droppedTools = leaveOut(listAnthropicServerTools(request), serverTools);
  const media = new MediaReader(context);
  const tools = new ToolLoading(listTools(request));
  const conversation = toConversation(request, { tools, media, reasoning: readReasoning });
  return { conversation, droppedTools, placeholders: media.placeholders, images: media.images };
}

function readMessages(request: AnthropicCountTokensRequest, readers: BlockReaders): readonly Message[] {
  const messages = readAnthropicMessages(request.system, request.messages, readers);
  return clearEarlierThinking(messages, request.context_management);
}

function toConversation(request: AnthropicCountTokensRequest, readers: BlockReaders): Conversation {
  const prefilled = splitPrefill(readMessages(request, readers), "messages");
  if (prefilled.prefill !== undefined) checkPrefill(request);
  const choice = readAnthropicToolChoice(request);
  const tools = listShownAnthropicTools(request);
  const templateArgs = {
    ...toReasoningArgs(request),
    ...request.chat_template_kwargs,
    ...(tools.length > 0 && choice !== undefined ? { tool_choice: toTemplateChoice(choice) } : {}),
  };
  return {
    ...prefilled,
    ...(tools.length > 0 ? { tools } : {}),
    ...(readers.tools.loaded.length > 0 ? { loadedTools: readers.tools.loaded } : {}),
    ...(isEmpty(templateArgs) ? {} : { templateArgs }),
  };
}

/** Like Anthropic, refuses thinking, a required call or a structured output if the request contains the beginning of the answer. */
function checkPrefill(request: AnthropicCountTokensRequest): void {
  const { thinking: mode, tool_choice: choice } = request;
  const thinks = mode !== undefined && mode.type !== "disabled";
  const mustCall = choice?.type === "any" || choice?.type === "tool";
  const param = thinks ? "thinking" : mustCall ? "tool_choice" : readFormat(request)?.param;
  if (param === undefined) return;
  throw new RequestError(
    param,
    `${param} cannot be combined with a last message of the assistant, which is continued.`,
  );
}

function readBudget({ thinking: wanted }: MessagesRequest): ThinkingBudget | undefined {
  return wanted?.type === "enabled" ? { tokens: wanted.budget_tokens, param: BUDGET_PARAM } : undefined;
}

function readFormat({
  output_config: config,
  output_format: format,
}: AnthropicCountTokensRequest): OutputSchema | undefined {
  return config?.format ?? format ?? undefined;
}

/** `thinking` turns reasoning on or off; `effort` sets how much the model reasons. */
function toReasoningArgs({
  thinking: wanted,
  output_config: config,
}: AnthropicCountTokensRequest): Record<string, unknown> {
  const effort = reasoningArgs(config?.effort ?? undefined);
  if (wanted === undefined) return effort;
  const mode = wanted.type === "between_tools" ? "enabled" : wanted.type;
  return { ...effort, ...thinkingArgs(mode, wanted.type === "enabled" ? wanted.budget_tokens : undefined) };
}

function toSampling(request: MessagesRequest): RequestSampling {
  return {
    ...DEFAULT_REQUEST,
    ...readParameters(request),
    temperature: request.temperature ?? 1,
    maxTokens: request.max_tokens,
    stop: request.stop_sequences ?? [],
    seed: request.seed,
    thinkingBudget: readBudget(request),
    structure: readFormat(request),
  };
}
