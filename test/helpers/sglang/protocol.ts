import type { MaskSampling } from "../sampling-masks.js";

/** The part of SGLang's wire format that the test server speaks (`GenerateReqInput`, `meta_info`). */

export interface GenerateRequest {
  readonly rid: string;
  readonly stream: boolean;
  /** Name of the LoRA adapter; absent for the base model. */
  readonly adapter?: string;
  /** Empty if the server is `fast`. */
  readonly inputIds: readonly number[];
  readonly inputLength: number;
  readonly sampling: SamplingFields;
  readonly returnLogprob: boolean;
  readonly topLogprobs: number;
  /** Alternatives come as base64 of arrays. */
  readonly flatTop?: boolean;
  /** Tokens whose log probabilities are asked for at every position. */
  readonly tokenIds?: readonly number[] | undefined;
  /** The first token whose routed experts are asked for; absent for none. */
  readonly expertsFrom?: number | undefined;
  /** The sampling that gives the masks which are returned; absent for none. */
  readonly masks?: MaskSampling | undefined;
}

export interface SamplingFields {
  readonly max_new_tokens: number;
  readonly stop_token_ids: readonly number[];
  readonly stop: readonly string[];
  readonly [field: string]: unknown;
}

export type FinishReason =
  | { readonly type: "stop"; readonly matched: number | string | readonly number[] }
  | { readonly type: "length"; readonly length: number }
  | {
      readonly type: "abort";
      readonly message: string;
      readonly status_code?: number | null;
      readonly err_type?: string | null;
    };

/** An abort with one of these statuses is the HTTP status of a whole reply. */
export type AbortStatus = 400 | 500 | 503;

export interface OutputToken {
  readonly id: number;
  readonly logprob: number;
  /** Weight version that sampled the token. */
  readonly version: string;
  /** The weights that sampled the token. */
  readonly weights?: string;
}

export interface GenerateOutcome {
  readonly tokens: readonly OutputToken[];
  readonly finish: FinishReason;
  /** Aborted before it ran. The reply then lacks prompt_tokens and cached_tokens. */
  readonly neverRan: boolean;
  /** A token that a refused request has without having run. */
  readonly garbage?: OutputToken;
  /** How often the request was retracted. */
  readonly retractions?: number;
  readonly weightVersion: string;
}

/** A fault of one `/generate` request. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly body?: unknown; readonly retryAfter?: string }
  /** Refused by the engine before it ran: by HTTP status 400, or by an error in the stream that was asked for. */
  | { readonly kind: "refused"; readonly message: string; readonly param?: string }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  | { readonly kind: "close-before-headers"; readonly reset?: boolean }
  | { readonly kind: "close-after-headers" }
  /** A complete HTTP reply whose JSON ends in the middle. */
  | { readonly kind: "truncated-json" }
  /** Sends one log probability less than there are ids. */
  | { readonly kind: "length-mismatch" }
  /** The logprob at `index` (default 0) is this JSON text. */
  | { readonly kind: "bad-logprob"; readonly text: "NaN" | "null" | "-Infinity" | "1e999"; readonly index?: number }
  /** Cut by the scheduler after this many tokens, as by a weight update. */
  | { readonly kind: "abort"; readonly after: number }
  | { readonly kind: "abort-in-queue" }
  /** SGLang's waiting queue is full. */
  | { readonly kind: "queue-full" }
  /** SGLang's refusal of a grammar that does not compile, and the end of a request whose grammar was being compiled: in a
   * stream, one token without a log probability. */
  | { readonly kind: "bad-grammar"; readonly message: string }
  /** Cut with this message and no status. A failed grammar step has the message "Aborted" too. */
  | { readonly kind: "abort-saying"; readonly message: string; readonly after: number }
  /** An abort of SGLang's scheduler: the HTTP status of a whole reply, and a finish reason in a stream. */
  | {
      readonly kind: "abort-with-status";
      readonly statusCode: AbortStatus;
      readonly after?: number;
      readonly message?: string;
    }
  /** A stream whose connection is lost after this many frames. */
  | { readonly kind: "close-in-stream"; readonly frames: number }
  /** A stream that ends correctly in HTTP after this many frames, but without a finish reason. */
  | { readonly kind: "end-in-stream"; readonly frames: number }
  /** A stream that sends nothing after this many frames, and does not end. */
  | { readonly kind: "hang-in-stream"; readonly frames: number }
  /** A stream with an error after this many frames. `code` is the status that the reply would have had. */
  | { readonly kind: "error-in-stream"; readonly frames: number; readonly message: string; readonly code?: number }
  | { readonly kind: "slow"; readonly milliseconds: number }
  /** Any body with status 200; a string is sent as it is. */
  | { readonly kind: "reply"; readonly body: unknown };

/** A request that SGLang answers with 400. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}
