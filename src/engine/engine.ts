import type { LogprobContent, NativeGeneration, NativePrompt } from "../native/contract.js";
import { CodedError } from "../support/coded-error.js";

export type { LogprobContent } from "../native/contract.js";

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
  /** What the output must look like. Only for an engine whose `supports` says that it has grammars. */
  readonly grammar?: Grammar | undefined;
}

/** Structured output: the engine lets the model sample only what can become such a text. */
export type Grammar =
  /** A JSON Schema, as JSON text; `{"type":"object"}` is any object. */
  | { readonly kind: "json_schema"; readonly schema: string }
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "ebnf"; readonly rules: string }
  /** JSON text of one of xgrammar's structural tags. */
  | { readonly kind: "structural_tag"; readonly tag: string };

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
  /**
   * What one token adds to a text, in UTF-8; special tokens have their spelling. With it stop strings are found that the
   * servers do not look for.
   */
  readonly tokenBytes?: ((id: number) => Uint8Array) | undefined;
  /** Stops the engine's work at once. `generate` then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface GenerateResult {
  readonly finish: Finish;
  /** Prompt tokens that the engine had in its cache; undefined where it does not say. */
  readonly cachedTokens: number | undefined;
  /** How often a generation that a weight update cut was resumed. */
  readonly resumes: number;
  /** What the log probabilities include, as the servers that made the tokens report them. */
  readonly logprobs: LogprobContent;
}

export type Finish =
  /** `matched`: the stop token id or the stop string that ended it, where the engine says. */
  { readonly reason: "stop"; readonly matched?: number | string } | { readonly reason: "length" };

/** One inference engine: token ids in; sampled ids with their log probabilities and weight versions out. */
export interface Engine {
  readonly type: string;
  readonly supports: EngineSupport;
  /** Tokens of prompt and output together that one call may have. */
  contextLength(): Promise<number>;
  /**
   * Returns the temperature that the engine samples with when asked for `temperature`: engines replace values that are
   * too small to divide by. Absent: every temperature is used as it is.
   */
  effectiveTemperature?(temperature: number): number;
  /** Rejects with an {@link EngineError}, or with the signal's reason. */
  generate(call: GenerateCall): Promise<GenerateResult>;
  /** Resolves when the engine can take calls, rejects with an {@link EngineError} otherwise. */
  health(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  /** Control of the servers that the engine consists of. Absent where it runs in this process. */
  readonly servers?: EngineServers;
}

export interface EngineSupport {
  /** `sampling.grammar` is followed. */
  readonly grammar: boolean;
}

/**
 * What becomes of generations in flight when the engine is paused: `abort` cuts them, and they are resumed from their
 * partial output later; `keep` freezes them as they are.
 */
export type PauseMode = "abort" | "keep";

export interface ResumeOptions {
  /** The servers that are told. Default: every server. */
  readonly told?: readonly string[] | undefined;
  /** Calls wait on, until another `resume`. Default false. */
  readonly hold?: boolean;
}

export interface ReadinessProblem {
  /**
   * - `server`: out of reach or not healthy.
   * - `key`: it refused the API key.
   * - `model`: it answers, but does not know the model.
   * - `unanswered`: it is healthy, but did not answer the question for its model in time. A server that works on a long
   *   prompt does so.
   */
  readonly about: "server" | "key" | "model" | "unanswered";
  readonly message: string;
}

/** The answer of one server to a readiness check. */
export interface ServerReadiness {
  readonly url: string;
  /** Undefined: it is ready. */
  readonly problem: ReadinessProblem | undefined;
}

export interface EngineServers {
  /**
   * Asks every server that is not being drained whether it is healthy and knows the model; generates nothing, never rejects.
   *
   * @param signal ends the wait: a server that did not answer is not ready.
   */
  readiness(signal: AbortSignal): Promise<readonly ServerReadiness[]>;
  list(): readonly EngineServerState[];
  /** How the servers were paused from here, and not resumed since. */
  readonly paused: PauseMode | undefined;
  /**
   * Pauses every server, for an update of its weights. Calls wait until `resume`. All or nothing: where one server
   * cannot be paused, all go on. One that is being drained and cannot be reached is left out.
   *
   * @param told the servers that are told. Default: every server. Calls wait in any case: those to the other servers
   *   too, which somebody else pauses.
   */
  pause(mode: PauseMode, told?: readonly string[]): Promise<void>;
  /** Lets calls go on. Rejects where a server could not be told; the others were. */
  resume(options?: ResumeOptions): Promise<void>;
  /**
   * Gives the server no more requests; resolves when it has none.
   *
   * @param signal ends the wait, not the draining. @throws RangeError for an unknown address.
   */
  drain(url: string, signal?: AbortSignal): Promise<void>;
  /** Gives a drained server requests again. @throws RangeError for an unknown address. */
  restore(url: string): void;
}

export interface EngineServerState {
  readonly url: string;
  /** `unknown`: it was not reached yet, and no attempt failed. It gets requests like one that is `up`. */
  readonly state: "up" | "down" | "draining" | "unknown";
  /** It could be reached and was well when it last was asked. False as long as it was never reached. */
  readonly healthy: boolean;
  /** Requests that it works on, or that wait for one of its connections. */
  readonly requests: number;
  /** Those of them that wait. */
  readonly waiting: number;
  /** What its log probabilities include; `unknown` until its first reply. */
  readonly logprobs: LogprobContent;
  readonly counts: EngineServerCounts;
  /** The last request that failed on it, at so many milliseconds since the epoch. */
  readonly lastFailure: { readonly message: string; readonly at: number } | undefined;
}

/** Requests since the engine was made, by what became of them. */
export interface EngineServerCounts {
  /** Those that a weight update cut are among them. */
  readonly completed: number;
  readonly failed: number;
  /** The agent left, or the call's time ran out. */
  readonly aborted: number;
  /** Did not begin here and went to another server. */
  readonly failovers: number;
}

export type EngineErrorCode = "engine_error" | "engine_rejected_request" | "engine_timeout" | "engine_unavailable";

/** An engine did not do its part. The message is fit for an agent's eyes: no payload, no path, no stack. */
export class EngineError extends CodedError<EngineErrorCode> {
  override readonly name = "EngineError";
}
