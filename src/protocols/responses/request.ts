import { z } from "zod";
import type { Conversation, Message } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { count, engineSampling, isEmpty, noEffect, unsupported, wellFormed } from "../fields.js";
import type { ModelRequest } from "../model-request.js";
import { reasoningArgs, reasoningEffort } from "../reasoning.js";
import { RequestError } from "../request-error.js";
import { responsesTextFormat } from "../response-format.js";
import { PLAIN_SAMPLING, type RequestSampling } from "../sampling.js";
import { shownTools, templateChoice } from "../tools.js";
import { type InputItem, type InputReference, responseInput, toMessages } from "./input.js";
import { placeOf } from "./items.js";
import { callRules, toolFields, toToolChoice, toTools } from "./tools.js";

/** The body of POST /v1/responses. */

const LOGPROBS = "message.output_text.logprobs";

const isAbsentOr = (value: unknown) => (given: unknown) => given === value;

const text = z.strictObject({
  format: responsesTextFormat.nullish(),
  verbosity: unsupported("text.verbosity other than medium", isAbsentOr("medium")),
});

export const responsesSchema = z.strictObject({
  model: z.string().optional(),
  input: responseInput.optional(),
  instructions: wellFormed.optional(),
  previous_response_id: z.string().optional(),
  store: z.boolean().optional(),
  ...toolFields,
  max_output_tokens: count.optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  text: text.optional(),
  reasoning: z
    .strictObject({
      effort: reasoningEffort.nullish(),
      summary: noEffect,
      generate_summary: noEffect,
      context: unsupported("reasoning.context other than auto", isAbsentOr("auto")),
      mode: unsupported("reasoning.mode other than standard", isAbsentOr("standard")),
    })
    .optional()
    .describe("effort reaches the chat template. Reasoning is answered whole, never as a summary."),
  include: listOf(z.string()).optional().describe(`${LOGPROBS}; other values have nothing to add.`),
  top_logprobs: z.int32().min(0).max(20).optional().describe(`For include: ${LOGPROBS}.`),
  stream: z.boolean().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  top_k: z.int32().min(-1).optional().describe("0 and -1 are off."),
  ...engineSampling,

  background: unsupported("background: true", isAbsentOr(false)),
  conversation: unsupported("conversation (use previous_response_id)"),
  context_management: unsupported("context_management", isEmpty),
  max_tool_calls: unsupported("max_tool_calls"),
  prompt: unsupported("prompt"),
  truncation: unsupported("truncation other than disabled", isAbsentOr("disabled")),

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

/** The responses of a session that were stored. */
export interface EarlierResponses {
  /** What the response's conversation said, instructions left out, its output last; undefined where it is not known. */
  messagesOf(responseId: string): readonly Message[] | undefined;
  /** An item of a response's output, by the item's id. */
  item(id: string): InputItem | undefined;
}

export function parseResponses(request: ResponsesRequest, earlier: EarlierResponses): ModelRequest {
  const conversation = toConversation(request, earlier);
  return {
    model: request.model,
    conversation,
    previousId: request.previous_response_id ?? lastResponseOf(request),
    sampling: toSampling(request),
    calls: callRules(request, conversation.tools ?? []),
    logprobs: wantsLogprobs(request) ? "text" : "none",
    stream: request.stream ?? false,
  };
}

function wantsLogprobs({ include = [] }: ResponsesRequest): boolean {
  return include.includes(LOGPROBS);
}

function toConversation(request: ResponsesRequest, earlier: EarlierResponses): Conversation {
  const messages = [...instructionsOf(request), ...historyOf(request, earlier), ...inputOf(request, earlier)];
  if (messages.length === 0) throw new RequestError("input", "input: there is nothing to answer.");
  const choice = toToolChoice(request);
  const tools = shownTools(toTools(request), choice);
  const templateArgs = {
    ...reasoningArgs(request.reasoning?.effort ?? undefined),
    ...request.chat_template_kwargs,
    ...(tools.length > 0 && choice !== undefined ? { tool_choice: templateChoice(choice) } : {}),
  };
  return {
    messages,
    ...(tools.length > 0 ? { tools } : {}),
    ...(isEmpty(templateArgs) ? {} : { templateArgs }),
  };
}

/** Instructions are those of this request alone: a response does not hand its own on. */
function instructionsOf({ instructions }: ResponsesRequest): Message[] {
  return instructions ? [{ role: "system", content: instructions }] : [];
}

function historyOf({ previous_response_id: id }: ResponsesRequest, earlier: EarlierResponses): readonly Message[] {
  return id === undefined ? [] : (earlier.messagesOf(id) ?? unknownResponse("previous_response_id", id));
}

function inputOf({ input = [] }: ResponsesRequest, earlier: EarlierResponses): Message[] {
  return toMessages(input, ({ id }: InputReference) => earlier.item(id) ?? unknownResponse("input", id));
}

/** The response whose output the input holds last, by the ids of its items. */
function lastResponseOf({ input = [] }: ResponsesRequest): string | undefined {
  for (const item of input.toReversed()) {
    const place = "id" in item && typeof item.id === "string" ? placeOf(item.id) : undefined;
    if (place) return place.responseId;
  }
  return undefined;
}

function unknownResponse(param: string, id: string): never {
  const message = `The session has no stored response with "${id.slice(0, 100)}".`;
  throw new RequestError(param, message, "previous_response_not_found");
}

function toSampling(request: ResponsesRequest): RequestSampling {
  return {
    ...PLAIN_SAMPLING,
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    topK: Math.max(request.top_k ?? 0, 0),
    minP: request.min_p ?? 0,
    maxTokens: request.max_output_tokens,
    stopTokenIds: request.stop_token_ids ?? [],
    seed: request.seed,
    topLogprobs: wantsLogprobs(request) ? (request.top_logprobs ?? 0) : 0,
    structure: request.text?.format?.structure,
  };
}
