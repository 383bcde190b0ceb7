import { PageError } from "./page-file.js";

/** The use of a page. */
export type PageUse = "used" | "free";

/** The pages of a file that something points to. A page that is in use must have one use. */
export class PageSet {
  /** Number of pages in the file. */
  readonly #count: number;
  readonly #used: Uint8Array;
  readonly #free: Uint8Array;

  constructor(count: number) {
    this.#count = count;
    this.#used = new Uint8Array(Math.ceil(count / 8));
    this.#free = new Uint8Array(Math.ceil(count / 8));
  }

  /**
   * Adds `count` pages that a tree has, from `first` on.
   *
   * @param by the page that points to them
   * @throws PageError if one of them is outside of the file or has a use already
   */
  use(first: number, count: number, by: string): void {
    if (first + count > this.#count) throw new PageError(`the file is truncated: ${by} points past its end`);
    for (let page = first; page < first + count; page++) {
      if (has(this.#used, page))
        throw new PageError(`${by} is damaged: it points to page ${page}, which has another use`);
      if (has(this.#free, page)) throw new PageError(`page ${page} is both in use and in the list of free pages`);
      add(this.#used, page);
    }
  }

  /**
   * Adds free pages. LMDB tolerates pages that are free twice, and free pages that the file lacks at its end.
   *
   * @throws PageError if one of them is in use
   */
  free(first: number, count: number): void {
    const end = Math.min(first + count, this.#count);
    for (let page = first; page < end; page++) {
      if (has(this.#used, page)) throw new PageError(`page ${page} is both in use and in the list of free pages`);
      add(this.#free, page);
    }
  }
}

function has(bits: Uint8Array, page: number): boolean {
  return ((bits[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
}

function add(bits: Uint8Array, page: number): void {
  bits[page >> 3] = (bits[page >> 3] ?? 0) | (1 << (page & 7));
}
