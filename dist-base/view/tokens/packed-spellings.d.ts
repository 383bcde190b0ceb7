/** The spellings of a vocabulary in two arrays, which take a tenth of the memory of strings and move between threads. */
export interface PackedSpellings {
    /** In UTF-8, one after the other, by token id. */
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** Where the spelling of each id ends in `bytes`. */
    readonly ends: Uint32Array<ArrayBuffer>;
}
/** @param spellings by token id; unused ids may be absent */
export declare function packSpellings(spellings: readonly (string | undefined)[]): PackedSpellings;
/** Returns the spelling of a token; undefined if the vocabulary does not have it. */
export declare function findSpelling({ bytes, ends }: PackedSpellings, id: number): string | undefined;
