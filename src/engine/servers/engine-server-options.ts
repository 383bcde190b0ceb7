import type { ExpertModel } from "../../native/contract.js";

/** The experts of a model that are recorded. */
export interface RecordedExperts extends ExpertModel {
  /** Indices of the layers that have experts; batches name them. Default: all layers. */
  readonly moeLayers?: readonly number[];
}

/** Options of every engine that consists of servers. */
export interface EngineServerOptions {
  /** Base URLs of the servers, or the URL of one router in front of them. At least one. */
  readonly urls: readonly string[];
  /**
   * Time limit of one call in seconds. Pauses for weight updates count, but waiting for a place on a server does not. 0: no limit.
   */
  readonly timeoutSeconds: number;
  /** Maximum number of generations that run at once on each server. Further ones wait in this process, and sessions take turns. */
  readonly maxInflight: number;
  /** Limit of prompt and output tokens together. If undefined, the servers are asked. */
  readonly contextLength?: number | undefined;
  readonly apiKey?: string | undefined;
  /** Record the experts that each token went through, of a model with these experts. Default: none are recorded. */
  readonly routedExperts?: RecordedExperts | undefined;
  /** Record sampling masks with at most so many ids. Default: none are recorded. */
  readonly maxKeptTokens?: number | undefined;
  /** Number of token ids that the model can sample. Default: more than any model has. */
  readonly vocabularySize?: number | undefined;
  /** Record the log probabilities of these tokens at the position of each sampled token. Default: none are recorded. */
  readonly tokenIdsLogprob?: readonly number[] | undefined;
  /** Called with problems that fail no call. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Seconds between two health checks of a server if there are several; 0 for none. Default 10. */
  readonly healthSeconds?: number | undefined;
  /** Time limit in seconds for one server to load weights; 0 for none. Default 1800. */
  readonly weightsTimeoutSeconds?: number | undefined;
}

/** Number of ids of a model whose vocabulary is not known. */
export const LARGEST_VOCABULARY = 2 ** 31 - 1;

/** @throws RangeError if an option is out of range. */
export function checkServerOptions({
  urls,
  maxInflight,
  timeoutSeconds,
  healthSeconds = 0,
  weightsTimeoutSeconds = 0,
}: EngineServerOptions): void {
  if (urls.length === 0) throw new RangeError("urls must contain at least one URL");
  if (new Set(urls).size < urls.length) throw new RangeError(`urls must be unique; received ${urls.join(", ")}`);
  if (!(Number.isInteger(maxInflight) && maxInflight > 0)) {
    throw new RangeError(`maxInflight must be a positive integer; received ${maxInflight}`);
  }
  if (!(timeoutSeconds >= 0)) throw new RangeError(`timeoutSeconds must be 0 or more; received ${timeoutSeconds}`);
  if (!(healthSeconds >= 0)) throw new RangeError(`healthSeconds must be 0 or more; received ${healthSeconds}`);
  if (!(weightsTimeoutSeconds >= 0)) {
    throw new RangeError(`weightsTimeoutSeconds must be 0 or more; received ${weightsTimeoutSeconds}`);
  }
}
