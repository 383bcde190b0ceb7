import { z } from "zod";
import type { AnswerStart, GenerationAnswer } from "../generation-answer.js";
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
  index: z.literal(0),
  avgLogprobs: z.number().optional(),
  logprobsResult: logprobsResult.optional(),
});

export const generateContentResponseSchema = z.object({
  candidates: z.array(candidate),
  usageMetadata: usage.optional(),
  modelVersion: z.string(),
  responseId: z.string().describe("The interaction id, for /rl/set_reward."),
});

export type GenerateContentResponse = z.input<typeof generateContentResponseSchema>;
export type ResponsePart = z.input<typeof part>;
type Candidate = z.input<typeof candidate>;

/** @param includeThoughts if true, the answer contains the reasoning */
export function toGenerateContentResponse(answer: GenerationAnswer, includeThoughts: boolean): GenerateContentResponse {
  const { tokens } = answer;
  const average = new AverageLogprob();
  if (tokens) average.add(tokens);
  const parts = toParts(answer, includeThoughts);
  return toResponse(answer, {
    ...toCandidate(parts),
    ...toEnd(answer),
    ...(tokens ? { avgLogprobs: average.value, logprobsResult: toLogprobsResult([tokens]) } : {}),
  });
}

/** Returns a response with this candidate: a whole answer or a chunk of a stream. */
export function toResponse(
  { interactionId, model }: Pick<AnswerStart, "interactionId" | "model">,
  { usageMetadata, ...candidates }: Candidate & Pick<GenerateContentResponse, "usageMetadata">,
): GenerateContentResponse {
  return {
    candidates: [candidates],
    ...(usageMetadata ? { usageMetadata } : {}),
    modelVersion: model,
    responseId: interactionId,
  };
}

export function toCandidate(parts: ResponsePart[]): Candidate {
  return { content: { role: "model", parts }, index: 0 };
}

/** Returns the finish reason and the usage of a complete answer. */
export function toEnd(answer: GenerationAnswer) {
  const { promptTokens, completionTokens, reasoningTokens, cachedTokens, finishReason: reason } = answer;
  return {
    finishReason: reason === "length" ? ("MAX_TOKENS" as const) : ("STOP" as const),
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: completionTokens - reasoningTokens,
      thoughtsTokenCount: reasoningTokens,
      cachedContentTokenCount: cachedTokens,
      totalTokenCount: promptTokens + completionTokens,
    },
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
