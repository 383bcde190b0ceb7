import type { ControlledEvaluateIndexOutput, ControlledEvaluateInputItem, Token } from "node-llama-cpp";
import type { SamplingParams } from "../engine.js";
import { type Candidates } from "./candidates.js";
/** Temperatures below this one mean greedy sampling, as in SGLang. */
export declare const GREEDY_BELOW = 0.000001;
type GenerateNext = NonNullable<Extract<ControlledEvaluateInputItem, unknown[]>[1]["generateNext"]>;
export interface SampledToken {
    readonly id: Token;
    /** log_softmax(penalized logits / temperature) over the whole vocabulary; with temperature 1 if greedy. */
    readonly logprob: number;
    /** The most probable tokens on the same scale, most probable first. */
    readonly top: Candidates;
}
/**
 * Draws the tokens of one call.
 *
 * Without top-k, top-p and min-p, llama.cpp draws the token. With one of them, llama.cpp returns candidates and the sum
 * of all weights, and the token is drawn here. llama.cpp's own top-p and min-p cannot be used: they filter before the
 * temperature is applied, and discard the other tokens, so the probability over the whole vocabulary is lost. The price
 * is a copy of the top-k candidates per token, or of the whole vocabulary if there is no top-k.
 *
 * llama.cpp applies the penalties to the logits first, over the output so far. Recorded log probabilities therefore include
 * penalties.
 *
 * Biases, and the mask of stop tokens before the least number of tokens, are applied here too: node-llama-cpp accepts no
 * biases of the tokens that end a turn. They need a copy of the whole vocabulary per token.
 */
export declare class Sampler {
    #private;
    constructor(sampling: SamplingParams, seed: number, vocabSize: number);
    /** Returns the request to llama.cpp for the token after the last input token. */
    request(output: readonly Token[]): GenerateNext;
    /**
     * Reads llama.cpp's answer to {@link request}.
     *
     * @param step number of output tokens before this one
     */
    read({ next }: ControlledEvaluateIndexOutput, step: number): SampledToken;
}
export {};
