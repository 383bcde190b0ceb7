import type { Message } from "../conversation/message.js";
import type { RecordedOutput } from "../native/contract.js";
import type { RecordedTokens } from "./logprobs.js";
import type { OutputPart } from "./output-parts.js";
import type { AnsweredExperts } from "./routed-experts.js";

/** The part of an answer that is known before its first token. */
export interface AnswerStart {
  readonly interactionId: string;
  readonly model: string;
  /** When the call began, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly promptTokens: number;
  /** The ids of the prompt, in the first choice of a request that asks for token ids. */
  readonly promptIds?: Int32Array | undefined;
}

/** A finished model call. Every protocol builds its answer from this. */
export interface GenerationAnswer extends AnswerStart {
  readonly message: Message;
  /** The same output in the order in which the model wrote it. */
  readonly parts: readonly OutputPart[];
  /** `tool_calls`: the generation ended by itself and has at least one well-formed call. */
  readonly finishReason: "stop" | "length" | "tool_calls";
  /** The stop string that ended the generation, if one did. */
  readonly stopString: string | undefined;
  readonly completionTokens: number;
  /** How many of `completionTokens` are reasoning. */
  readonly reasoningTokens: number;
  readonly cachedTokens: number;
  /** The recorded output, if the request asks for the log probabilities of all tokens. */
  readonly tokens: RecordedTokens | undefined;
  /** The same with weight versions, if the request asks for token ids. */
  readonly sampled?: RecordedOutput | undefined;
  /** The routed experts, if the request asks for them; null if the engine did not send all of them. */
  readonly experts?: AnsweredExperts | null | undefined;
}

/** Returns the memory of the token ids and experts that an answer returns, in bytes. */
export function measureTokenIds({ promptIds, sampled, experts }: GenerationAnswer): number {
  const arrays = [promptIds, sampled?.ids, sampled?.logprobs, sampled?.versions, experts?.values];
  return arrays.reduce((bytes, each) => bytes + (each?.byteLength ?? 0), 0);
}

/** Returns the tokens of several answers to one call together. */
export function sumTokens(
  answers: readonly GenerationAnswer[],
): Pick<GenerationAnswer, "completionTokens" | "reasoningTokens"> {
  return {
    completionTokens: answers.reduce((sum, each) => sum + each.completionTokens, 0),
    reasoningTokens: answers.reduce((sum, each) => sum + each.reasoningTokens, 0),
  };
}
