/** First in, first out. Taking from the front costs the same however much waits: an array's `shift` moves it all. */
export class Fifo<T> {
  #items: T[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** The item that is taken next. */
  get next(): T | undefined {
    return this.#items[this.#first];
  }

  /** The item behind so many others. */
  peek(index: number): T | undefined {
    return this.#items[this.#first + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#first];
    if (this.length > 0) this.#first++;
    if (this.#first > 64 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  /** Puts an item in the place of the next one. */
  replaceNext(item: T): void {
    this.#items[this.#first] = item;
  }
}
