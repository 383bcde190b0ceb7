import type { Fault, GenerateRequest } from "../sglang/protocol.js";
import type { SchedulerOptions, SglangScheduler } from "../sglang/scheduler.js";

export interface VllmServerOptions extends Partial<Omit<SchedulerOptions, "maxRunning" | "eosTokenId">> {
  readonly model?: string;
  /** `processed_logprobs` renormalizes over what top-k leaves; the default is vLLM's, `raw_logprobs`. */
  readonly logprobsMode?: "raw_logprobs" | "processed_logprobs";
  readonly contextLength?: number;
  /** If false, `/inference/v1/generate` does not exist, as in servers started without `--enable-scale-out`. */
  readonly scaleOut?: boolean;
  /** How `/inference/v1/generate` writes log probabilities: `"token": "token_id:5"` until v0.29, `"token_id": 5` after. */
  readonly logprobShape?: "token_names" | "token_ids";
  /** The sampled token is less likely than all listed alternatives. */
  readonly sampledOutsideTop?: boolean;
  /** Started with `--max-logprobs`; a request for more is refused. */
  readonly maxLogprobs?: number;
  /** Replies of `/inference/v1/generate` have spans of weight versions. */
  readonly weightVersionSpans?: boolean;
  /** Started with `--enable-prompt-tokens-details`. */
  readonly cachedTokens?: (request: GenerateRequest) => number;
  /** Tokens per frame of a stream; default 1. */
  readonly streamInterval?: number;
  /** Cuts the frames of streams into pieces of this many bytes. */
  readonly pieceBytes?: number;
  /** As in older servers: a stream that ends without a new token has no frame for its end. */
  readonly skipsEmptyFrames?: boolean;
  readonly apiKey?: string;
  readonly port?: number;
  readonly missingPaths?: readonly string[];
}

/** What the routes share. */
export interface VllmContext {
  readonly options: VllmServerOptions;
  readonly model: string;
  readonly contextLength: number;
  readonly scheduler: SglangScheduler;
  readonly faults: Fault[];
  /** Faults of requests that ask which log probabilities the server reports. */
  readonly probeFaults: Fault[];
}

/** A request of either endpoint. */
export interface VllmRequest {
  readonly endpoint: "generate" | "completions";
  readonly id: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Alternatives per token; undefined if the request asks for no log probabilities. */
  readonly logprobs: number | undefined;
  readonly tokenIds: boolean;
  readonly tokenNames: boolean;
  /** 0 and -1 disable it. */
  readonly topK: number;
  /** The request in the form of the scheduler. */
  readonly scheduled: GenerateRequest;
}
