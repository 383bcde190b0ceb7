import type { NativeGeneration, NativePrompt } from "../native/contract.js";

/** How tokens are drawn. Every field is explicit: nothing is left to an engine's own default. */
export interface SamplingParams {
  /** 0 is greedy. Log probabilities are those of log_softmax(logits / temperature); of temperature 1 when greedy. */
  readonly temperature: number;
  /** 1 is off. */
  readonly topP: number;
  /** 0 is off. */
  readonly topK: number;
  /** 0 is off. */
  readonly minP: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** At least 1; prompt and output together fit the context. */
  readonly maxTokens: number;
  /** Strings that end the output. They stay in the tokens; who shows the text cuts them off. */
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly seed: number | undefined;
  /** Alternatives to record per token, 0 for none. */
  readonly topLogprobs: number;
}

export interface GenerateCall {
  readonly prompt: NativePrompt;
  /** Where the engine puts sampled ids, log probabilities and versions. */
  readonly generation: NativeGeneration;
  readonly sampling: SamplingParams;
  /** Calls with the same key share a prompt prefix: they go to the server that has it in its cache. */
  readonly affinityKey: string;
  /** The weight version that stands now, for engines that report none. */
  readonly currentVersion: () => number;
  /**
   * Called when the engine has put more tokens into `generation`, for who reads along. Absent: nobody does, and the
   * engine may answer all at once.
   */
  readonly onTokens?: (() => void) | undefined;
  /** Stops the engine's work at once. `generate` then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface GenerateResult {
  readonly finish: Finish;
  /** Prompt tokens that the engine had in its cache; undefined where it does not say. */
  readonly cachedTokens: number | undefined;
  /** How often a generation that a weight update cut was resumed. */
  readonly resumes: number;
}

export type Finish =
  /** `matched`: the stop token id or the stop string that ended it, where the engine says. */
  { readonly reason: "stop"; readonly matched?: number | string } | { readonly reason: "length" };

/** One inference engine: token ids in; sampled ids with their log probabilities and weight versions out. */
export interface Engine {
  readonly type: string;
  /** Tokens of prompt and output together that one call may have. */
  contextLength(): Promise<number>;
  /** Rejects with an {@link EngineError}, or with the signal's reason. */
  generate(call: GenerateCall): Promise<GenerateResult>;
  /** Resolves when the engine can take calls, rejects with an {@link EngineError} otherwise. */
  health(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export type EngineErrorCode = "engine_error" | "engine_timeout" | "engine_unavailable";

/** An engine did not do its part. The message is fit for an agent's eyes: no payload, no path, no stack. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
