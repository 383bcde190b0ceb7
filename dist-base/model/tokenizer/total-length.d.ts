/** Returns the sum of the lengths of texts or of arrays of ids. */
export declare function totalLength(pieces: readonly {
    readonly length: number;
}[]): number;
