import type { Tensor } from "../session/batch/tensor.js";
/** The tokens that the engine was given and those that it sampled, for one call. */
export interface ModelResponse {
    readonly inputTokens: Int32Array;
    readonly outputTokens: Int32Array;
    /** Log probability of each output token. */
    readonly outputLogprobs: Float32Array;
    /** Weight version of each output token. */
    readonly outputVersions: Int32Array;
    readonly stopReason: string;
}
/** Tensors of a row that ends with the output of a call. */
export interface CallTensors {
    readonly input_ids: Tensor;
    readonly loss_mask: Tensor;
    readonly logprobs: Tensor;
    readonly versions: Tensor;
}
/**
 * Splits a row at the start of its last call's output.
 *
 * @param outputLength number of tokens of that output. If undefined, because older proxies do not send it, the output is
 *   the last run of ones in the loss mask.
 */
export declare function splitRow(tensors: CallTensors, outputLength: number | undefined, stopReason: string): ModelResponse;
