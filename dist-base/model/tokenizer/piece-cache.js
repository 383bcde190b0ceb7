import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
// Size of an entry without its ids: the key, the array's header, the list and map entries.
const ENTRY_BYTES = 400;
/**
 * An LRU cache of the token ids of pieces of text. Keys are SHA-256 digests: a piece is a slice of a prompt, and a slice as
 * a key would keep the whole prompt in memory.
 */
export class PieceCache {
    #pieces;
    #maxBytes;
    #hits = 0;
    #misses = 0;
    /** @param maxBytes 0 turns the cache off */
    constructor(maxBytes) {
        this.#maxBytes = maxBytes;
        this.#pieces = new LRUCache({
            maxSize: Math.max(1, maxBytes),
            sizeCalculation: (ids) => ids.byteLength + ENTRY_BYTES,
        });
    }
    get stats() {
        return {
            hits: this.#hits,
            misses: this.#misses,
            bytes: this.#pieces.calculatedSize,
            maxBytes: this.#maxBytes,
        };
    }
    /** Returns the key of a piece. Takes about 1 ms for 1 MB. */
    hashPiece(piece) {
        return hash("sha256", piece, "base64");
    }
    /** Returns the ids of a key. The array is shared: do not change it. */
    get(key) {
        const ids = this.#pieces.get(key);
        if (ids === undefined)
            this.#misses++;
        else
            this.#hits++;
        return ids;
    }
    set(key, ids) {
        this.#pieces.set(key, ids);
    }
}
//# sourceMappingURL=piece-cache.js.map