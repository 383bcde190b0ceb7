/** The token ids whose keys and values a sequence holds in its cache, in order. */
export declare class CachedTokens {
    #private;
    constructor(capacity: number);
    get length(): number;
    append(ids: ArrayLike<number>): void;
    /** Removes all but the first `length` tokens. */
    truncate(length: number): void;
    /** Returns how many tokens a prompt shares with the cache, counted from the start. */
    commonPrefix(prompt: Int32Array): number;
}
