interface Waiter<Value> {
  readonly resolve: (value: Value | undefined) => void;
}

/** Those who wait for a batch, served in the order in which they came. */
export class BatchWaiters<Value> {
  readonly #waiters: Waiter<Value>[] = [];

  get waiting(): boolean {
    return this.#waiters.length > 0;
  }

  /** Rejects with the signal's reason where that comes first. */
  wait(signal: AbortSignal | undefined): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<Value> = {
        resolve: (value) => {
          signal?.removeEventListener("abort", leave);
          resolve(value);
        },
      };
      this.#waiters.push(waiter);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** Undefined says that nothing will come any more. */
  hand(value: Value | undefined): void {
    this.#waiters.shift()?.resolve(value);
  }
}
