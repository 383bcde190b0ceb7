import { z } from "zod";
import { PARAMETERS, type Sampling } from "../../facts/sampling.js";
import { count, isEmpty, noEffect, stopStrings, unsupported } from "../fields.js";
import { reasoningArgs, thinkingArgs } from "../reasoning.js";
import { RequestError } from "../request-error.js";
import { DEFAULT_REQUEST, type OutputSchema, type RequestSampling, type ThinkingBudget } from "../request-sampling.js";
import { geminiSchema } from "../response-format.js";
import { protoEnum, protoObject } from "./proto-json.js";
import { toJsonSchema } from "./schema.js";

/** `generationConfig` of Gemini's requests: sampling, structured output and thinking. */

const PARAM = "generationConfig";

const DYNAMIC_BUDGET = -1;

const thinkingConfig = protoObject({
  includeThoughts: z.boolean().optional(),
  thinkingBudget: z.int32().min(DYNAMIC_BUDGET).optional(),
  thinkingLevel: protoEnum(["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"]).optional(),
})
  .refine(
    ({ thinkingBudget, thinkingLevel }) => thinkingBudget === undefined || thinkingLevel === undefined,
    "must not have both thinkingBudget and thinkingLevel",
  )
  .describe(
    "includeThoughts adds the reasoning to the answer. Budget and level are passed to the chat template. A budget is enforced if the engine supports that.",
  );

const isTextOnly = (value: unknown) => Array.isArray(value) && value.every((each) => each === "TEXT");

export const generationConfig = protoObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: PARAMETERS.topP.schema.optional(),
  topK: PARAMETERS.topK.schema.optional().describe("0 turns it off."),
  maxOutputTokens: count.optional(),
  stopSequences: stopStrings.optional(),
  seed: z.int().optional(),
  presencePenalty: PARAMETERS.presencePenalty.schema.optional(),
  frequencyPenalty: PARAMETERS.frequencyPenalty.schema.optional(),
  candidateCount: count.optional().describe("Number of answers. Each is recorded as an interaction of its own."),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int32().min(0).max(20).optional().describe("Alternatives per token, if responseLogprobs is true."),
  responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
  responseSchema: geminiSchema.optional(),
  responseJsonSchema: geminiSchema.optional(),
  _responseJsonSchema: geminiSchema.optional().describe("Older name of responseJsonSchema."),
  thinkingConfig: thinkingConfig.optional(),

  responseModalities: unsupported("responseModalities other than TEXT", isTextOnly),
  responseFormat: unsupported("responseFormat (use responseMimeType and responseJsonSchema)", isEmpty),
  speechConfig: unsupported("speechConfig"),
  imageConfig: unsupported("imageConfig"),
  translationConfig: unsupported("translationConfig"),
  enableAffectiveDialog: unsupported("enableAffectiveDialog: true", (value) => value === false),
  audioTranscriptionConfig: noEffect,
  audioTimestamp: noEffect,
  mediaResolution: noEffect,
  modelSelectionConfig: noEffect,
  routingConfig: noEffect,
  enableEnhancedCivicAnswers: noEffect,
});

export type GenerationConfig = z.output<typeof generationConfig>;

/** @throws RequestError if fields contradict each other */
export function checkGenerationConfig(config: GenerationConfig): void {
  if ((config.logprobs ?? 0) > 0 && config.responseLogprobs !== true) {
    throw new RequestError(`${PARAM}.logprobs`, `${PARAM}.logprobs requires responseLogprobs: true.`);
  }
  const [schema, other] = listSchemas(config);
  if (schema && other) {
    throw new RequestError(other.param, `${other.param} cannot be combined with ${schema.param}.`);
  }
  if (schema && config.responseMimeType !== "application/json") {
    const received = config.responseMimeType ?? "none";
    const message = `${schema.param} requires responseMimeType "application/json"; received ${received}.`;
    throw new RequestError(schema.param, message);
  }
}

/** @param shared the parameters outside of `generationConfig` */
export function toSampling(config: GenerationConfig, shared: Partial<Sampling>): RequestSampling {
  return {
    ...DEFAULT_REQUEST,
    ...shared,
    temperature: config.temperature ?? 1,
    topP: config.topP ?? 1,
    topK: config.topK ?? 0,
    frequencyPenalty: config.frequencyPenalty ?? 0,
    presencePenalty: config.presencePenalty ?? 0,
    maxTokens: config.maxOutputTokens,
    stop: config.stopSequences ?? [],
    seed: config.seed,
    topLogprobs: config.logprobs ?? 0,
    structure: readStructure(config),
    thinkingBudget: readBudget(config),
  };
}

function readBudget({ thinkingConfig: wanted }: GenerationConfig): ThinkingBudget | undefined {
  const { thinkingBudget: tokens = 0 } = wanted ?? {};
  return tokens > 0 ? { tokens, param: `${PARAM}.thinkingConfig.thinkingBudget` } : undefined;
}

/** Any JSON object or list: Google's JSON mode allows both. */
const ANY_DOCUMENT = JSON.stringify({ anyOf: [{ type: "object" }, { type: "array" }] });

/** Returns the schema that the answer must match; undefined if the request asks for text. */
export function readStructure(config: GenerationConfig): OutputSchema | undefined {
  if (config.responseMimeType !== "application/json") return undefined;
  const [schema] = listSchemas(config);
  if (!schema) return { param: `${PARAM}.responseMimeType`, jsonSchema: ANY_DOCUMENT };
  return { param: schema.param, jsonSchema: JSON.stringify(schema.jsonSchema) };
}

function listSchemas(config: GenerationConfig) {
  const { responseSchema, responseJsonSchema, _responseJsonSchema: older } = config;
  return [
    ...(responseSchema ? [{ param: `${PARAM}.responseSchema`, jsonSchema: toJsonSchema(responseSchema) }] : []),
    ...(responseJsonSchema ? [{ param: `${PARAM}.responseJsonSchema`, jsonSchema: responseJsonSchema }] : []),
    ...(older ? [{ param: `${PARAM}._responseJsonSchema`, jsonSchema: older }] : []),
  ];
}

/** Returns the variables of the chat template that turn reasoning on or off and set its amount. */
export function toThinkingArgs({ thinkingConfig: wanted }: GenerationConfig): Record<string, unknown> {
  const { thinkingBudget: budget, thinkingLevel: level = UNSPECIFIED } = wanted ?? {};
  if (level !== UNSPECIFIED) return reasoningArgs(LEVELS[level]);
  if (budget === undefined) return {};
  if (budget === DYNAMIC_BUDGET) return thinkingArgs("adaptive");
  return budget === 0 ? thinkingArgs("disabled") : thinkingArgs("enabled", budget);
}

const UNSPECIFIED = "THINKING_LEVEL_UNSPECIFIED";

const LEVELS = { MINIMAL: "minimal", LOW: "low", MEDIUM: "medium", HIGH: "high" } as const;
