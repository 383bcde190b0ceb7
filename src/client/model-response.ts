import type { Tensor } from "../session/tensor.js";

/** What the engine was given and what it sampled for one call. */
export interface ModelResponse {
  readonly inputTokens: Int32Array;
  readonly outputTokens: Int32Array;
  /** One for each output token. */
  readonly outputLogprobs: Float32Array;
  /** Weight version of each output token. */
  readonly outputVersions: Int32Array;
  readonly stopReason: string;
}

/** The tensors of a row that ends with the call's output. */
export interface CallTensors {
  readonly input_ids: Tensor;
  readonly loss_mask: Tensor;
  readonly logprobs: Tensor;
  readonly versions: Tensor;
}

/**
 * Cuts a row where its last call's output begins.
 *
 * @param outputLength tokens of that output; undefined for older proxies, which do not say it: then the last run of the mask
 */
export function splitRow(tensors: CallTensors, outputLength: number | undefined, stopReason: string): ModelResponse {
  const { input_ids, loss_mask, logprobs, versions } = tensors;
  const begin = input_ids.data.length - (outputLength ?? lastRun(loss_mask.data));
  return {
    inputTokens: Int32Array.from(input_ids.data.subarray(0, begin)),
    outputTokens: Int32Array.from(input_ids.data.subarray(begin)),
    outputLogprobs: Float32Array.from(logprobs.data.subarray(begin)),
    outputVersions: Int32Array.from(versions.data.subarray(begin)),
    stopReason,
  };
}

function lastRun(mask: Tensor["data"]): number {
  return mask.length - 1 - mask.lastIndexOf(0);
}
