import { z } from "zod";
import { type AnswerStart, type GenerationAnswer, sumTokens } from "../generation-answer.js";
import type { OutputPart } from "../output-parts.js";
import { RawJson } from "../raw-json.js";
import { signReasoning } from "../reasoning-signature.js";
import { AverageLogprob, logprobsResult, toLogprobsResult } from "./logprobs-result.js";

const usage = z.object({
  promptTokenCount: z.int(),
  candidatesTokenCount: z.int().describe("Generated tokens without those of the reasoning."),
  thoughtsTokenCount: z.int(),
  cachedContentTokenCount: z.int().describe("Prompt tokens that were in the engine's cache."),
  totalTokenCount: z.int(),
});

const part = z.object({
  text: z.string().optional(),
  thought: z.literal(true).optional(),
  functionCall: z.object({ id: z.string(), name: z.string(), args: z.unknown() }).optional(),
  thoughtSignature: z.string().optional().describe("Names the call. Send it back to keep the reasoning."),
});

const finishReason = z.enum(["STOP", "MAX_TOKENS"]);

const candidate = z.object({
  content: z.object({ role: z.literal("model"), parts: z.array(part) }),
  finishReason: finishReason.optional(),
  index: z.int(),
  interactionId: z.string().optional().describe("The interaction of this candidate, for /rl/set_reward."),
  avgLogprobs: z.number().optional(),
  logprobsResult: logprobsResult.optional(),
});

export const generateContentResponseSchema = z.object({
  candidates: z.array(candidate),
  usageMetadata: usage.optional(),
  modelVersion: z.string(),
  responseId: z.string().describe("The interaction id of the first candidate, for /rl/set_reward."),
});

export type GenerateContentResponse = z.input<typeof generateContentResponseSchema>;
export type ResponsePart = z.input<typeof part>;
export type Candidate = z.input<typeof candidate>;

/**
 * @param includeThoughts if true, the answer contains the reasoning
 * @param others the answers of the further candidates
 */
export function toGenerateContentResponse(
  answer: GenerationAnswer,
  includeThoughts: boolean,
  others: readonly GenerationAnswer[] = [],
): GenerateContentResponse {
  const candidates = [answer, ...others].map((each, index) => toWholeCandidate(each, includeThoughts, index));
  return toGeminiResponse(answer, candidates, sumGeminiUsage(answer, others));
}

function toWholeCandidate(answer: GenerationAnswer, includeThoughts: boolean, index: number): Candidate {
  const { tokens, interactionId } = answer;
  const average = new AverageLogprob();
  if (tokens) average.add(tokens);
  const parts = toParts(answer, includeThoughts);
  return {
    finishReason: toFinishReason(answer),
    interactionId,
    ...toCandidate(parts, index),
    ...(tokens ? { avgLogprobs: average.value, logprobsResult: toLogprobsResult([tokens]) } : {}),
  };
}

/** Returns a response with these candidates: a whole answer or a chunk of a stream. */
export function toGeminiResponse(
  { interactionId, model }: Pick<AnswerStart, "interactionId" | "model">,
  candidates: Candidate[],
  usageMetadata?: GenerateContentResponse["usageMetadata"],
): GenerateContentResponse {
  return {
    candidates,
    ...(usageMetadata ? { usageMetadata } : {}),
    modelVersion: model,
    responseId: interactionId,
  };
}

export function toCandidate(parts: ResponsePart[], index: number): Candidate {
  return { content: { role: "model", parts }, index };
}

export function toFinishReason({ finishReason: reason }: GenerationAnswer) {
  return reason === "length" ? ("MAX_TOKENS" as const) : ("STOP" as const);
}

/** Returns the usage of a call. The prompt counts once, however many candidates there are. */
export function sumGeminiUsage(answer: GenerationAnswer, others: readonly GenerationAnswer[] = []) {
  const { promptTokens, cachedTokens } = answer;
  const { completionTokens, reasoningTokens } = sumTokens([answer, ...others]);
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cachedTokens,
    totalTokenCount: promptTokens + completionTokens,
  };
}

/** Returns the parts of an answer. It ends with a signed text or with a call, which is signed, too. */
function toParts({ parts, interactionId }: GenerationAnswer, includeThoughts: boolean): ResponsePart[] {
  const signature = signReasoning(interactionId);
  const shown = parts.filter(({ type }) => includeThoughts || type !== "reasoning");
  const written = shown.map((each) => toPart(each, signature));
  switch (shown.at(-1)?.type) {
    case "tool_call":
      return written;
    case "text":
      return [...written.slice(0, -1), { ...written.at(-1), thoughtSignature: signature }];
    case "reasoning":
    case undefined:
      return [...written, endOfText(signature)];
  }
}

function toPart(part: OutputPart, signature: string): ResponsePart {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "reasoning":
      return { text: part.text, thought: true, thoughtSignature: signature };
    case "tool_call":
      return toCallPart(part, signature);
  }
}

/** Returns a signed, empty text. It ends answers without text: some SDKs drop a turn whose content has no parts. */
export function endOfText(signature: string): ResponsePart {
  return { text: "", thoughtSignature: signature };
}

export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export function toCallPart({ id, name, arguments: text }: WrittenCall, signature: string): ResponsePart {
  return { functionCall: { id, name, args: readArgs(text) ?? {} }, thoughtSignature: signature };
}

/** Returns the arguments of a call as the model wrote them; undefined if they are incomplete. */
export function readArgs(text: string): RawJson | undefined {
  try {
    JSON.parse(text);
    return new RawJson(text);
  } catch {
    return undefined;
  }
}
