/** Length of a window in characters, white space counted once. */
const WINDOW = 64;
/** Characters from whose start the first window is taken. A text that begins with more white space is not found. */
const MAX_START = 512;
/** Base of the polynomial hash: any odd number that mixes the bits of small values. */
const BASE = 0x01000193;
/** BASE to the power of WINDOW - 1, modulo 2^32: the weight of the character that leaves the window. */
const LEAVING = Array.from({ length: WINDOW - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);
const FILTER_BITS = 12;
/** Places of one window that are reported. A text has its own beginning rarely more than once. */
const MAX_PLACES = 4;
/** Texts with the same first window that are kept, the newest. */
const MAX_EQUAL = 8;

/** A place at which texts may begin. */
export interface WindowHit {
  /** The callers' numbers of the texts. */
  readonly numbers: readonly number[];
  /** Index of the window's first character. */
  readonly at: number;
}

/**
 * Finds texts whose beginning occurs in another text, in time that is linear in the other text.
 *
 * It keeps only a 32-bit hash of the first window of each text. So the results are suspicions, which the caller must check.
 */
export class TextWindows {
  readonly #numbersByHash = new Map<number, number[]>();
  /** True at the upper bits of each known hash. Most windows are rejected here. */
  readonly #filter = new Uint8Array(1 << FILTER_BITS);

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
    this.#filter[hash >>> (32 - FILTER_BITS)] = 1;
  }

  /**
   * Returns the places of `text` at which texts may begin, the first few of each window.
   *
   * @param text its white space must be single spaces
   */
  find(text: string): WindowHit[] {
    const hits: WindowHit[] = [];
    const counts = new Map<readonly number[], number>();
    let hash = 0;
    for (let end = 0; end < text.length; end++) {
      if (end >= WINDOW) hash = (hash - Math.imul(text.charCodeAt(end - WINDOW), LEAVING)) | 0;
      hash = (Math.imul(hash, BASE) + text.charCodeAt(end)) | 0;
      if (end < WINDOW - 1 || this.#filter[hash >>> (32 - FILTER_BITS)] === 0) continue;
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
    this.#filter.fill(0);
  }
}
