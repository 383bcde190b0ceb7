import { z } from "zod";
import type { Conversation, Message } from "../../conversation/message.js";
import { PARAMETERS } from "../../facts/sampling.js";
import { listOf } from "../../support/schema/list-of.js";
import { engineSampling, readParameters } from "../engine-sampling.js";
import { count, isEmpty, noEffect, requestedModel, responseId, unsupported, wellFormed } from "../fields.js";
import { ignoredFields, listIgnoredFields } from "../ignored-fields.js";
import { MediaReader } from "../image-policy.js";
import { metadata } from "../metadata.js";
import type { ModelRequest } from "../model-request.js";
import { reasoningArgs, reasoningEffort } from "../reasoning.js";
import { RequestError } from "../request-error.js";
import type { RequestPolicies } from "../request-policies.js";
import { DEFAULT_REQUEST, type RequestSampling } from "../request-sampling.js";
import { responsesTextFormat } from "../response-format.js";
import { leaveOut } from "../server-tools.js";
import { readTokenBudget, thinkingTokenBudget } from "../thinking-token-budget.js";
import { returnTokenIds } from "../token-ids.js";
import { selectTools, toTemplateChoice } from "../tool-choice.js";
import { type InputItem, type InputReference, readResponsesMessages, responseInput } from "./input.js";
import { parseItemId } from "./output-items.js";
import {
  listResponsesServerTools,
  readResponsesCallRules,
  readResponsesToolChoice,
  responsesToolFields,
  toTools,
} from "./tools.js";

/** The body of POST /v1/responses. */

const LOGPROBS = "message.output_text.logprobs";

const isDefault = (value: unknown) => (received: unknown) => received === value;

const text = z.strictObject({
  format: responsesTextFormat.nullish(),
  verbosity: unsupported("text.verbosity other than medium", isDefault("medium")),
});

export const responsesSchema = z.strictObject({
  model: requestedModel.optional(),
  input: responseInput.optional(),
  instructions: wellFormed.optional(),
  previous_response_id: responseId.optional(),
  store: z.boolean().optional(),
  ...responsesToolFields,
  max_output_tokens: count.optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: PARAMETERS.topP.schema.optional(),
  text: text.optional(),
  reasoning: z
    .strictObject({
      effort: reasoningEffort.nullish(),
      summary: noEffect,
      generate_summary: noEffect,
      context: unsupported("reasoning.context other than auto", isDefault("auto")),
      mode: unsupported("reasoning.mode other than standard", isDefault("standard")),
    })
    .optional()
    .describe("effort is passed to the chat template. The answer contains the whole reasoning, never a summary."),
  include: listOf(z.string()).optional().describe(`${LOGPROBS} adds log probabilities; other values are ignored.`),
  top_logprobs: z.int32().min(0).max(20).optional().describe(`Alternatives per token, if include has ${LOGPROBS}.`),
  stream: z.boolean().optional(),
  metadata: metadata.optional(),
  top_k: z.int32().min(-1).optional().describe("0 or -1 turns it off."),
  ...engineSampling,
  thinking_token_budget: thinkingTokenBudget.optional(),
  return_token_ids: returnTokenIds.optional(),
  ...ignoredFields,

  return_routed_experts: unsupported("return_routed_experts (use chat completions)", isDefault(false)),
  background: unsupported("background: true", isDefault(false)),
  conversation: unsupported("conversation (use previous_response_id)"),
  context_management: unsupported("context_management", isEmpty),
  max_tool_calls: unsupported("max_tool_calls"),
  prompt: unsupported("prompt"),
  truncation: unsupported("truncation other than disabled", isDefault("disabled")),

  client_metadata: noEffect,
  moderation: noEffect,
  prompt_cache_key: noEffect,
  prompt_cache_options: noEffect,
  prompt_cache_retention: noEffect,
  safety_identifier: noEffect,
  service_tier: noEffect,
  stream_options: noEffect,
  user: noEffect,
});

export type ResponsesRequest = z.output<typeof responsesSchema>;

/** Looks up the stored responses of a session. */
export interface EarlierResponses {
  /** Returns a response's conversation without instructions, its output last; undefined if the response is unknown. */
  findMessages(responseId: string): readonly Message[] | undefined;
  /** Returns the number of placeholders in the messages of a response; 0 if the response is unknown. */
  countPlaceholders(responseId: string): number;
  /** Returns an item of a response's output by the item's id; undefined if the item is unknown. */
  findItem(id: string): InputItem | undefined;
  /** Returns the reasoning that `encrypted_content` stands for; empty if that is unknown. */
  readReasoning(signature: string): string;
}

export function parseResponses(
  request: ResponsesRequest,
  earlier: EarlierResponses,
  policies: RequestPolicies = {},
): ModelRequest {
  const ignored = listIgnoredFields(request);
  const droppedTools = leaveOut(listResponsesServerTools(request), policies.serverTools);
  const media = new MediaReader(policies);
  const conversation = toConversation(request, earlier, media);
  return {
    model: request.model,
    conversation,
    previousId: request.previous_response_id ?? findLastResponse(request),
    sampling: toSampling(request),
    calls: readResponsesCallRules(request, conversation.tools ?? []),
    logprobs: wantsLogprobs(request) ? "text" : "none",
    tokenIds: request.return_token_ids ? "complete" : undefined,
    stream: request.stream ?? false,
    droppedTools,
    placeholders: media.placeholders + readEarlierPlaceholders(request, earlier),
    images: media.images,
    ignoredFields: ignored,
  };
}

function wantsLogprobs({ include = [] }: ResponsesRequest): boolean {
  return include.includes(LOGPROBS);
}

function toConversation(request: ResponsesRequest, earlier: EarlierResponses, media: MediaReader): Conversation {
  const history = [...readInstructions(request), ...readHistory(request, earlier)];
  const messages = [...history, ...readInput(request, earlier, media)];
  if (messages.length === 0) {
    throw new RequestError("input", "input must contain at least one item if the request continues no response.");
  }
  const choice = readResponsesToolChoice(request);
  const tools = selectTools(toTools(request), choice);
  const templateArgs = {
    ...reasoningArgs(request.reasoning?.effort ?? undefined),
    ...request.chat_template_kwargs,
    ...(tools.length > 0 && choice !== undefined ? { tool_choice: toTemplateChoice(choice) } : {}),
  };
  return {
    messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(isEmpty(templateArgs) ? {} : { templateArgs }),
  };
}

/** Instructions apply to their own request only; a request that continues a response does not inherit them. */
function readInstructions({ instructions }: ResponsesRequest): Message[] {
  return instructions ? [{ role: "system", content: instructions }] : [];
}

function readHistory({ previous_response_id: id }: ResponsesRequest, earlier: EarlierResponses): readonly Message[] {
  return id === undefined ? [] : (earlier.findMessages(id) ?? throwUnknownResponse("previous_response_id", id));
}

function readEarlierPlaceholders({ previous_response_id: id }: ResponsesRequest, earlier: EarlierResponses): number {
  return id === undefined ? 0 : earlier.countPlaceholders(id);
}

function readInput({ input = [] }: ResponsesRequest, earlier: EarlierResponses, media: MediaReader): Message[] {
  const resolve = ({ id }: InputReference) => earlier.findItem(id) ?? throwUnknownResponse("input", id);
  const reasoning = (signature: string) => earlier.readReasoning(signature);
  return readResponsesMessages(input, { resolve, reasoning, media });
}

/** Returns the ids of the responses that a request continues or refers to. */
export function listNamedResponses({ previous_response_id: previous, input = [] }: ResponsesRequest): string[] {
  const items = input.map((item) => (item.type === "item_reference" ? parseItemId(item.id)?.responseId : undefined));
  return [previous, ...items].filter((id) => id !== undefined);
}

/** Finds the response whose output comes last in the input, by the ids of its items. */
function findLastResponse({ input = [] }: ResponsesRequest): string | undefined {
  for (const item of input.toReversed()) {
    const place = "id" in item && typeof item.id === "string" ? parseItemId(item.id) : undefined;
    if (place) return place.responseId;
  }
  return undefined;
}

function throwUnknownResponse(param: string, id: string): never {
  const message = `${param}: this session has stored no response or item with the id "${id.slice(0, 100)}".`;
  throw new RequestError(param, message, "previous_response_not_found");
}

function toSampling(request: ResponsesRequest): RequestSampling {
  return {
    ...DEFAULT_REQUEST,
    ...readParameters(request),
    temperature: request.temperature ?? 1,
    topK: Math.max(request.top_k ?? 0, 0),
    maxTokens: request.max_output_tokens,
    seed: request.seed,
    thinkingBudget: readTokenBudget(request),
    topLogprobs: wantsLogprobs(request) ? (request.top_logprobs ?? 0) : 0,
    structure: request.text?.format?.structure,
  };
}
