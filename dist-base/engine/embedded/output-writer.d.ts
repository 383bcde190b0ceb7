import type { NativeGeneration } from "../../native/contract.js";
import type { SampledToken } from "./sampler.js";
/** Adds sampled tokens to the native generation: one by one if `onTokens` is set, otherwise in chunks. */
export declare class OutputWriter {
    #private;
    /**
     * @param width alternatives per token; 0 for none
     * @param onTokens called after tokens were added to the generation
     */
    constructor(generation: NativeGeneration, width: number, onTokens: (() => void) | undefined);
    /** Sets the weight version of the tokens that are pushed from here on. */
    setVersion(version: number): void;
    push({ id, logprob, top }: SampledToken): void;
    flush(): void;
}
