import type { ExpertModel } from "../../../src/native/contract.js";
import type { EngineVision, TokenRange } from "../engine-vision.js";
import type { Fault, GenerateRequest } from "../sglang/protocol.js";
import type { SchedulerOptions, SglangScheduler } from "../sglang/scheduler.js";
import type { WeightLoads } from "../weight-loads.js";

export interface VllmServerOptions extends Partial<Omit<SchedulerOptions, "maxRunning">> {
  readonly model?: string;
  /** `processed_logprobs` renormalizes over the tokens that top-k keeps. Default: `raw_logprobs`, like vLLM. */
  readonly logprobsMode?: "raw_logprobs" | "processed_logprobs";
  readonly contextLength?: number;
  /**
   * Started with `--enable-scale-out`, the default here. Without it, `/inference/v1/generate` is 403. Builds that do not
   * have the endpoint answer 404: see `missingPaths`.
   */
  readonly scaleOut?: boolean;
  /** Started with `--tokens-only`: no text, no stop strings, no grammars. */
  readonly tokensOnly?: boolean;
  /** Started with `--return-sampling-mask`: requests need `top_k` and a temperature above 0. */
  readonly samplingMask?: boolean;
  /** Started with `--enable-return-routed-experts`, with a model that has these experts. */
  readonly experts?: ExpertModel;
  /** The model sees images. */
  readonly vision?: EngineVision;
  /** Name of a LoRA adapter of the model. */
  readonly adapter?: string;
  /** Started with `--enable-lora` and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True. Paths that begin with `/missing` have no adapter. */
  readonly lora?: boolean;
  /**
   * How `/inference/v1/generate` writes log probabilities. Older servers: `"token": "token_id:5"` until v0.29
   * (`ChatCompletionLogProbs` in its `disagg/protocol.py`), `"token_id": 5` after.
   */
  readonly logprobShape?: "token_names" | "token_ids";
  /** The sampled token is less likely than every alternative that is listed after it. */
  readonly sampledOutsideTop?: boolean;
  /** Started with `--reasoning-parser`. Without it, requests with a budget for the reasoning are refused. */
  readonly reasoningParser?: boolean;
  /** Started with `--max-logprobs`. Requests for more are refused. */
  readonly maxLogprobs?: number;
  /** False: an older server, whose replies of `/inference/v1/generate` do not list spans of weight versions. */
  readonly weightVersionSpans?: boolean;
  /** Started with `--enable-prompt-tokens-details`. */
  readonly cachedTokens?: (request: GenerateRequest) => number;
  /** Tokens per frame of a stream; default 1. */
  readonly streamInterval?: number;
  /** Sends the frames of streams in pieces of this many bytes. */
  readonly pieceBytes?: number;
  /** An older server (before August 2026), which sends no frame for an end without a new token. */
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
  /** Paths of the loaded adapters by name. */
  readonly adapters: Map<string, string>;
  readonly asleep: { value: boolean };
  /** The engine's process has died, and the server was started with VLLM_KEEP_ALIVE_ON_ENGINE_DEATH. */
  died: boolean;
}

/** A request of either endpoint. */
export interface VllmRequest {
  readonly endpoint: "generate" | "completions";
  readonly id: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Alternatives per token; undefined if no log probabilities were requested. */
  readonly logprobs: number | undefined;
  /** Tokens whose log probabilities are asked for in place of alternatives. */
  readonly fixedIds?: readonly number[] | undefined;
  readonly tokenIds: boolean;
  /** The places of the images, if the reply names them and the ids of the prompt. */
  readonly prompt: readonly TokenRange[] | undefined;
  readonly tokenNames: boolean;
  /** 0 and -1 disable it. */
  readonly topK: number;
  /** The request in the form of the scheduler. */
  readonly scheduled: GenerateRequest;
}
