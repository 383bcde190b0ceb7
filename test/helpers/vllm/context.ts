import type { Fault, GenerateRequest } from "../sglang/protocol.js";
import type { SchedulerOptions, SglangScheduler } from "../sglang/scheduler.js";
import type { WeightLoads } from "../weight-loads.js";

export interface VllmServerOptions extends Partial<Omit<SchedulerOptions, "maxRunning" | "eosTokenId">> {
  readonly model?: string;
  /** `processed_logprobs` renormalizes over the tokens that top-k keeps. Default: `raw_logprobs`, like vLLM. */
  readonly logprobsMode?: "raw_logprobs" | "processed_logprobs";
  readonly contextLength?: number;
  /** Started with `--enable-scale-out`; default true. Without it, `/inference/v1/generate` answers 403. */
  readonly scaleOut?: boolean;
  /** Started with `--tokens-only`: no stop strings, and no grammars. */
  readonly tokensOnly?: boolean;
  /** Started with `--return-sampling-mask`: requests need `top_k` and a temperature above 0. */
  readonly samplingMask?: boolean;
  /**
   * How `/inference/v1/generate` writes log probabilities: `"token": "token_id:5"` until v0.29, `"token_id": 5` after.
   */
  readonly logprobShape?: "token_names" | "token_ids";
  /** The sampled token is less likely than every alternative that is listed after it. */
  readonly sampledOutsideTop?: boolean;
  /** Started with `--reasoning-parser`. Without it, requests with a budget for the reasoning are refused. */
  readonly reasoningParser?: boolean;
  /** Started with `--max-logprobs`. Requests for more are refused. */
  readonly maxLogprobs?: number;
  /** Replies of `/inference/v1/generate` list spans of weight versions. */
  readonly weightVersionSpans?: boolean;
  /** Started with `--enable-prompt-tokens-details`. */
  readonly cachedTokens?: (request: GenerateRequest) => number;
  /** Tokens per frame of a stream; default 1. */
  readonly streamInterval?: number;
  /** Sends the frames of streams in pieces of this many bytes. */
  readonly pieceBytes?: number;
  /** Sends no frame for an end without a new token, like older servers. */
  readonly skipsEmptyFrames?: boolean;
  /** `/health` answers 503, as after the engine process has died. */
  readonly unhealthy?: boolean;
  readonly apiKey?: string;
  readonly port?: number;
  readonly missingPaths?: readonly string[];
}

/** State that the routes share. */
export interface VllmContext {
  readonly options: VllmServerOptions;
  readonly model: string;
  readonly contextLength: number;
  readonly scheduler: SglangScheduler;
  readonly faults: Fault[];
  /** Probes: requests that find out which log probabilities the server reports. */
  readonly probeFaults: Fault[];
  readonly loads: WeightLoads;
}

/** A request of either endpoint. */
export interface VllmRequest {
  readonly endpoint: "generate" | "completions";
  readonly id: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Alternatives per token; undefined if no log probabilities were requested. */
  readonly logprobs: number | undefined;
  readonly tokenIds: boolean;
  readonly tokenNames: boolean;
  /** 0 and -1 disable it. */
  readonly topK: number;
  /** The request in the form of the scheduler. */
  readonly scheduled: GenerateRequest;
}
