/** Counters of a {@link PieceCache}, for metrics. */
export interface CacheStats {
    readonly hits: number;
    readonly misses: number;
    /** Bytes in the cache, and its limit. */
    readonly bytes: number;
    readonly maxBytes: number;
}
/**
 * An LRU cache of the token ids of pieces of text. Keys are SHA-256 digests: a piece is a slice of a prompt, and a slice as
 * a key would keep the whole prompt in memory.
 */
export declare class PieceCache {
    #private;
    /** @param maxBytes 0 turns the cache off */
    constructor(maxBytes: number);
    get stats(): CacheStats;
    /** Returns the key of a piece. Takes about 1 ms for 1 MB. */
    hashPiece(piece: string): string;
    /** Returns the ids of a key. The array is shared: do not change it. */
    get(key: string): Int32Array | undefined;
    set(key: string, ids: Int32Array): void;
}
