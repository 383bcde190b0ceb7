import { z } from "zod";
import type { Conversation } from "../../conversation/message.js";
import { listOf } from "../../support/schema/list-of.js";
import { engineSampling, readParameters } from "../engine-sampling.js";
import { isEmpty, MAX_MODEL_LENGTH, noEffect, requestedModel, unsupported } from "../fields.js";
import { MediaReader } from "../image-policy.js";
import type { ModelRequest } from "../model-request.js";
import { NO_REASONING, parseSignature, type ReadReasoning } from "../reasoning-signature.js";
import { RequestError } from "../request-error.js";
import { checkChoices, type RequestPolicies } from "../request-policies.js";
import { leaveOut } from "../server-tools.js";
import { splitPrefill } from "../split-prefill.js";
import { noTokenIds } from "../token-ids.js";
import { requiresCall, toTemplateChoice } from "../tool-choice.js";
import { contents, systemInstruction } from "./contents.js";
import {
  checkGenerationConfig,
  generationConfig,
  readStructure,
  toSampling,
  toThinkingArgs,
} from "./generation-config.js";
import { findLastSignature, type PartReaders, readGeminiMessages } from "./messages.js";
import { protoObject } from "./proto-json.js";
import {
  findStrayNames,
  geminiToolFields,
  listGeminiServerTools,
  listShownGeminiTools,
  NAMES_PARAM,
  readGeminiCallRules,
  readGeminiToolChoice,
} from "./tools.js";

/** The bodies of POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens. */

// `generationConfig` has its own seed.
const { seed: _, ...ownSampling } = engineSampling;

const safetySetting = protoObject({ category: z.string(), threshold: z.string(), method: z.string().optional() });

/** Schema of a field that is checked, but not kept, because it cannot change the answer. */
const checked = <T extends z.ZodType>(schema: T) => schema.transform(() => undefined).optional();

export const generateContentSchema = protoObject({
  contents,
  systemInstruction: systemInstruction.optional(),
  ...geminiToolFields,
  generationConfig: generationConfig.optional(),
  ...ownSampling,

  return_token_ids: noTokenIds,
  cachedContent: unsupported("cachedContent"),
  continuationToken: unsupported("continuationToken"),
  generationOutputConfig: unsupported("generationOutputConfig"),
  model: checked(requestedModel).describe("The path names the model."),
  safetySettings: checked(listOf(safetySetting)),
  labels: checked(z.record(z.string(), z.string())),
  serviceTier: noEffect,
  store: noEffect,
  modelArmorConfig: noEffect,
});

export type GenerateContentRequest = z.output<typeof generateContentSchema>;

export const geminiCountTokensSchema = protoObject({
  contents: contents.optional(),
  generateContentRequest: generateContentSchema.optional(),
  model: checked(requestedModel),
}).refine(
  ({ contents: own, generateContentRequest: whole }) => (own === undefined) !== (whole === undefined),
  "The request must have either contents or generateContentRequest.",
);

export type GeminiCountTokensRequest = z.output<typeof geminiCountTokensSchema>;

/** The policies for a prompt. */
export interface GeminiPromptContext extends RequestPolicies {
  readonly readReasoning?: ReadReasoning;
}

/** The policies for a request, and its values outside of the body. */
export interface GeminiRequestContext extends GeminiPromptContext {
  /** The model that the path names. */
  readonly model: string;
  readonly stream: boolean;
}

export interface ParsedGenerateContent extends ModelRequest {
  /** If true, the answer contains the reasoning. */
  readonly includeThoughts: boolean;
}

export function parseGenerateContent(
  request: GenerateContentRequest,
  context: GeminiRequestContext,
): ParsedGenerateContent {
  const { model, stream } = context;
  const { generationConfig: config = {} } = request;
  if (model.length > MAX_MODEL_LENGTH) {
    throw new RequestError("model", `The name of the model must have at most ${MAX_MODEL_LENGTH} characters.`);
  }
  checkGenerationConfig(config);
  checkChoices(config.candidateCount, "generationConfig.candidateCount", context);
  const { conversation, ...read } = readGeminiPrompt(request, context);
  return {
    model,
    conversation,
    previousId: readPreviousId(request),
    sampling: toSampling(config, readParameters(request)),
    calls: readGeminiCallRules(request, conversation.tools ?? []),
    choices: config.candidateCount,
    logprobs: config.responseLogprobs === true ? "all" : "none",
    stream,
    ...read,
    includeThoughts: config.thinkingConfig?.includeThoughts ?? false,
  };
}

/** @throws RequestError for a part or a tool that a policy refuses */
export function readGeminiPrompt(
  request: GenerateContentRequest,
  context: GeminiPromptContext,
): Pick<ModelRequest, "conversation" | "droppedTools" | "placeholders" | "images"> {
  const { serverTools, readReasoning: reasoning = NO_REASONING } = context;
  const droppedTools = leaveOut(listGeminiServerTools(request), serverTools);
  const media = new MediaReader(context);
  const conversation = toConversation(request, { reasoning, media });
  return { conversation, droppedTools, placeholders: media.placeholders, images: media.images };
}

/** Returns the whole request whose tokens are counted. */
export function toCountedRequest({ contents: own = [], generateContentRequest: whole }: GeminiCountTokensRequest) {
  return whole ?? { contents: own };
}

function readPreviousId(request: GenerateContentRequest): string | undefined {
  const signature = findLastSignature(request.contents);
  return signature === undefined ? undefined : parseSignature(signature);
}

function toConversation(request: GenerateContentRequest, readers: PartReaders): Conversation {
  const stray = findStrayNames(request);
  if (stray.length > 0) throw new RequestError(NAMES_PARAM, `${NAMES_PARAM} requires the mode ANY or VALIDATED.`);
  const { generationConfig: config = {} } = request;
  const messages = readGeminiMessages(request.systemInstruction, request.contents, readers);
  const prefilled = splitPrefill(messages, "contents");
  const choice = readGeminiToolChoice(request);
  if (prefilled.prefill !== undefined && (requiresCall(choice) || readStructure(config))) {
    const message =
      "contents: a last content of the model, which is continued, cannot be combined with a required call or JSON.";
    throw new RequestError("contents", message);
  }
  const tools = listShownGeminiTools(request);
  const templateArgs = {
    ...toThinkingArgs(config),
    ...request.chat_template_kwargs,
    ...(tools.length > 0 && choice !== undefined ? { tool_choice: toTemplateChoice(choice) } : {}),
  };
  return {
    ...prefilled,
    ...(tools.length > 0 ? { tools } : {}),
    ...(isEmpty(templateArgs) ? {} : { templateArgs }),
  };
}
