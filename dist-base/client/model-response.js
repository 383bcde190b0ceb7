/**
 * Splits a row at the start of its last call's output.
 *
 * @param outputLength number of tokens of that output. If undefined, because older proxies do not send it, the output is
 *   the last run of ones in the loss mask.
 */
export function splitRow(tensors, outputLength, stopReason) {
    const { input_ids, loss_mask, logprobs, versions } = tensors;
    const begin = input_ids.data.length - (outputLength ?? findLastRunLength(loss_mask.data));
    return {
        inputTokens: Int32Array.from(input_ids.data.subarray(0, begin)),
        outputTokens: Int32Array.from(input_ids.data.subarray(begin)),
        outputLogprobs: Float32Array.from(logprobs.data.subarray(begin)),
        outputVersions: Int32Array.from(versions.data.subarray(begin)),
        stopReason,
    };
}
function findLastRunLength(mask) {
    return mask.length - 1 - mask.lastIndexOf(0);
}
//# sourceMappingURL=model-response.js.map