interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends items together: all that come while a call is under way share the next one. */
export class Batcher<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limit: number;
  #waiting: Waiting<Item, Result>[] = [];
  #isSending = false;

  /**
   * @param send resolves with one result for each item
   * @param limit maximum number of items of one call
   */
  constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, limit: number) {
    this.#send = send;
    this.#limit = limit;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      // Items of the same event turn share a call too.
      if (!this.#isSending) setImmediate(() => void this.#sendAll());
      this.#isSending = true;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const items = this.#waiting.splice(0, this.#limit);
      try {
        const results = await this.#send(items.map(({ item }) => item));
        items.forEach(({ resolve }, i) => resolve(results[i] as Result));
      } catch (error) {
        for (const { reject } of items) reject(error);
      }
    }
    this.#isSending = false;
  }
}
