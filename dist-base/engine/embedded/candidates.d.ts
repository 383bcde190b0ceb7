/** Tokens that may come next, most probable first, with their log probabilities over the whole vocabulary. */
export interface Candidates {
    readonly ids: readonly number[];
    readonly logprobs: readonly number[];
}
/**
 * Adds biases to the logits of tokens, and computes the log probabilities anew. A bias of -Infinity removes its token.
 *
 * @param candidates the whole vocabulary
 */
export declare function addBiases<Id extends number>(candidates: {
    readonly ids: readonly Id[];
    readonly logprobs: readonly number[];
}, biases: ReadonlyMap<number, number>): {
    readonly ids: readonly Id[];
    readonly logprobs: readonly number[];
};
/** Top-k, top-p and min-p. The values 0, 1 and 0 turn them off. */
export interface Filters {
    readonly topK: number;
    readonly topP: number;
    readonly minP: number;
}
/**
 * Counts the candidates that may be drawn. A candidate may be drawn if it is among the `topK` most probable, if at most
 * `topP` of the probability mass comes before it, and if it is at least `minP` times as probable as the first. All three
 * filters use the probabilities of the whole vocabulary, like SGLang's joint filter. At least one candidate remains.
 */
export declare function countKept(logprobs: readonly number[], { topK, topP, minP }: Filters): number;
/**
 * Draws one of the first `count` candidates, in proportion to their probabilities.
 *
 * @param uniform a random number in [0, 1)
 * @returns the index of the candidate
 */
export declare function drawCandidate(logprobs: readonly number[], count: number, uniform: number): number;
