import type { ByteTally } from "./session-size.js";

/**
 * Values that sessions of a process share. A value is freed with the last session that uses it. It counts in the memory of all sessions
 * together.
 */
export class SharedPool<T> {
  readonly #measure: (value: T) => number;
  readonly #tally: ByteTally;
  readonly #items = new Map<string, { readonly value: T; users: number }>();

  /** @param measure returns the size of a value in bytes */
  constructor(measure: (value: T) => number, tally: ByteTally = { bytes: 0 }) {
    this.#measure = measure;
    this.#tally = tally;
  }

  /** Number of different values. */
  get size(): number {
    return this.#items.size;
  }

  /**
   * Adds a user of a value, and returns the value that all of its users share.
   *
   * @param create called only for a value that no session uses
   */
  acquire(key: string, create: () => T): T {
    let item = this.#items.get(key);
    if (!item) {
      item = { value: create(), users: 0 };
      this.#items.set(key, item);
      this.#tally.bytes += this.#measure(item.value);
    }
    item.users++;
    return item.value;
  }

  /** Removes a user of a value. */
  release(key: string): void {
    const item = this.#items.get(key);
    if (!item || --item.users > 0) return;
    this.#items.delete(key);
    this.#tally.bytes -= this.#measure(item.value);
  }

  get(key: string): T | undefined {
    return this.#items.get(key)?.value;
  }
}
