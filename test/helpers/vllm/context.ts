import type { Fault, GenerateRequest } from "../sglang/protocol.js";
import type { SchedulerOptions, SglangScheduler } from "../sglang/scheduler.js";

export interface VllmServerOptions extends Partial<Omit<SchedulerOptions, "maxRunning" | "eosTokenId">> {
  readonly model?: string;
  /** `processed_logprobs` renormalizes over what top-k leaves; the default is vLLM's, `raw_logprobs`. */
  readonly logprobsMode?: "raw_logprobs" | "processed_logprobs";
  readonly contextLength?: number;
  /** Without it, `/inference/v1/generate` is not there, as in servers that were not started with `--enable-scale-out`. */
  readonly scaleOut?: boolean;
  /** How `/inference/v1/generate` writes log probabilities: `"token": "token_id:5"` until v0.29, `"token_id": 5` after. */
  readonly logprobShape?: "token_names" | "token_ids";
  /** The sampled token is less likely than every alternative that is listed behind it. */
  readonly sampledOutsideTop?: boolean;
  /** Started with `--max-logprobs`; a request for more is refused. */
  readonly maxLogprobs?: number;
  /** Replies of `/inference/v1/generate` name spans of weight versions. */
  readonly weightVersionSpans?: boolean;
  /** Started with `--enable-prompt-tokens-details`. */
  readonly cachedTokens?: (request: GenerateRequest) => number;
  /** Tokens per frame of a stream; default 1. */
  readonly streamInterval?: number;
  /** Cuts the frames of streams into pieces of so many bytes. */
  readonly pieceBytes?: number;
  /** As older servers do: no frame for an end without a new token. */
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
  /** Of requests that ask which log probabilities the server reports. */
  readonly probeFaults: Fault[];
}

/** A request of either endpoint. */
export interface VllmRequest {
  readonly endpoint: "generate" | "completions";
  readonly id: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Alternatives per token; undefined where no log probabilities were asked for. */
  readonly logprobs: number | undefined;
  readonly tokenIds: boolean;
  readonly tokenNames: boolean;
  /** 0 and -1 are off. */
  readonly topK: number;
  /** The same in the scheduler's terms. */
  readonly scheduled: GenerateRequest;
}
