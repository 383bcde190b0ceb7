import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";

/** Counters of a {@link PieceCache}, for metrics. */
export interface CacheStats {
  readonly hits: number;
  readonly misses: number;
  /** Bytes held, and how many there may be. */
  readonly bytes: number;
  readonly maxBytes: number;
}

// What an entry costs beside its ids: the key, the array's header, the list and map entries.
const ENTRY_BYTES = 400;

/**
 * Token ids of pieces of text, the least recently used leaving first. Keys are SHA-256 digests: a piece is a slice of
 * a prompt, and a slice that is kept keeps the whole prompt in memory.
 */
export class PieceCache {
  readonly #pieces: LRUCache<string, Int32Array>;
  readonly #maxBytes: number;
  #hits = 0;
  #misses = 0;

  /** @param maxBytes 0 caches nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#pieces = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: (ids) => ids.byteLength + ENTRY_BYTES,
    });
  }

  get stats(): CacheStats {
    return {
      hits: this.#hits,
      misses: this.#misses,
      bytes: this.#pieces.calculatedSize,
      maxBytes: this.#maxBytes,
    };
  }

  /** What a piece is kept under. Takes time in its length, about 1 ms for 1 MB. */
  keyOf(piece: string): string {
    return hash("sha256", piece, "base64");
  }

  /** The ids kept under a key. The array is shared: nobody writes to it. */
  get(key: string): Int32Array | undefined {
    const known = this.#pieces.get(key);
    if (known === undefined) this.#misses++;
    else this.#hits++;
    return known;
  }

  set(key: string, ids: Int32Array): void {
    this.#pieces.set(key, ids);
  }
}
