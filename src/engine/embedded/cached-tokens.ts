/** The token ids whose keys and values a sequence holds in its cache, in order. */
export class CachedTokens {
  readonly #ids: Int32Array;
  #length = 0;

  constructor(capacity: number) {
    this.#ids = new Int32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  append(ids: ArrayLike<number>): void {
    this.#ids.set(ids, this.#length);
    this.#length += ids.length;
  }

  /** Removes all but the first `length` tokens. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** Returns how many tokens a prompt shares with the cache, counted from the start. */
  commonPrefix(prompt: Int32Array): number {
    const ids = this.#ids;
    const end = Math.min(this.#length, prompt.length);
    let length = 0;
    while (length < end && ids[length] === prompt[length]) length++;
    return length;
  }
}
