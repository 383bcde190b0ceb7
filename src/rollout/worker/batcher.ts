interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Sends items together: all that come during a pause, or while a call is under way, share the next one. */
export class Batcher<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #limit: number;
  readonly #pause: () => number;
  #waiting: Waiting<Item, Result>[] = [];
  #isSending = false;

  /**
   * @param send resolves with one result for each item
   * @param limit maximum number of items of one call
   * @param pause returns the milliseconds that the first item waits for others
   */
  constructor(
    send: (items: readonly Item[]) => Promise<readonly Result[]>,
    limit: number,
    pause: () => number = () => 0,
  ) {
    this.#send = send;
    this.#limit = limit;
    this.#pause = pause;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isSending) this.#sendSoon();
      this.#isSending = true;
    });
  }

  #sendSoon(): void {
    const pause = this.#pause();
    const send = () => void this.#sendAll();
    // Items of the same event turn always share a call.
    if (pause < 1) setImmediate(send);
    else setTimeout(send, pause);
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
