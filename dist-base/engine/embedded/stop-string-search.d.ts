/**
 * Finds stop strings in the text of a growing output. For each token, only the last tokens are decoded: a token usually
 * has at least one byte, so a stop string that ends in the newest token begins within as many tokens as it has bytes.
 * Control tokens count as the text that spells them.
 */
export declare class StopStringSearch<T extends number> {
    #private;
    constructor(stops: readonly string[], decode: (ids: readonly T[]) => string);
    /** Returns the stop string that the newest token completed; of several, the one that begins first. */
    find(output: readonly T[]): string | undefined;
}
