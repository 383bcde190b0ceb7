/** Returns a seed for a call without one. */
export declare function randomSeed(): number;
/**
 * Returns an integer in [0, 2^31) that depends only on seed, step and lane: the chained finalizer of MurmurHash3.
 *
 * If the step were added to the seed instead, neighbouring seeds would share most of their steps. The result has 31 bits
 * because llama.cpp reads 0xFFFFFFFF as "any seed".
 */
export declare function stepSeed(seed: number, step: number, lane?: number): number;
/** Returns a number in [0, 1) with 53 random bits for one step. */
export declare function stepUniform(seed: number, step: number): number;
