/** Length of a window in characters, each run of white space counted as one. */
const WINDOW = 64;
/** Number of characters from which the first window is taken. A text that begins with more white space is not found. */
const MAX_START = 512;
/** Base of the polynomial hash: any odd number that mixes the bits of small values. */
const BASE = 0x01000193;
/** BASE to the power of WINDOW - 1, modulo 2^32: the weight of the character that leaves the window. */
const LEAVING = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);
const FILTER_BITS = 12;
/** Maximum number of positions that are reported for one window. A text rarely repeats its own beginning. */
const MAX_PLACES = 4;
/** Maximum number of texts with the same first window. The newest are kept. */
const MAX_EQUAL = 8;

/** A position at which texts may begin. */
export interface WindowHit {
  /** The numbers that the caller gave to the texts. */
  readonly numbers: readonly number[];
  /** Index of the window's first character. */
  readonly at: number;
}

/**
 * Finds texts whose beginning occurs in another text, in time linear in the length of that text.
 *
 * It keeps only a 32-bit hash of the first window of each text, so the caller must check the results.
 */
export class TextWindows {
  readonly #numbersByHash = new Map<number, number[]>();
  /** Is 1 at the index that the upper bits of a known hash give. Most windows find a 0 and are rejected. Undefined without texts. */
  #filter: Uint8Array | undefined;

  get isEmpty(): boolean {
    return this.#numbersByHash.size === 0;
  }

  /** @param number the caller's number for the text */
  add(text: string, number: number): void {
    const start = text.slice(0, MAX_START).replace(/\s+/g, " ").trimStart();
    if (start.length < WINDOW) return;
    let hash = 0;
    for (let at = 0; at < WINDOW; at++) hash = (Math.imul(hash, BASE) + start.charCodeAt(at)) | 0;
    const numbers = this.#numbersByHash.get(hash);
    if (numbers) {
      numbers.push(number);
      if (numbers.length > MAX_EQUAL) numbers.shift();
    } else this.#numbersByHash.set(hash, [number]);
    this.#filter ??= new Uint8Array(1 << FILTER_BITS);
    this.#filter[hash >>> (32 - FILTER_BITS)] = 1;
  }

  /**
   * Returns the positions in `text` at which texts may begin, at most MAX_PLACES for each window.
   *
   * @param text a text whose white space consists of single spaces
   */
  find(text: string): WindowHit[] {
    const hits: WindowHit[] = [];
    const filter = this.#filter;
    if (!filter) return hits;
    const counts = new Map<readonly number[], number>();
    let hash = 0;
    for (let end = 0; end < text.length; end++) {
      if (end >= WINDOW) hash = (hash - Math.imul(text.charCodeAt(end - WINDOW), LEAVING)) | 0;
      hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0;
      if (end < WINDOW - 1 || filter[hash >>> (32 - FILTER_BITS)] === 0) continue;
      const numbers = this.#numbersByHash.get(hash);
      if (!numbers) continue;
      const count = counts.get(numbers) ?? 0;
      if (count === MAX_PLACES) continue;
      counts.set(numbers, count + 1);
      hits.push({ numbers, at: end - WINDOW + 1 });
    }
    return hits;
  }

  clear(): void {
    this.#numbersByHash.clear();
    this.#filter = undefined;
  }
}
