import { onAbort } from "./on-abort.js";

/** Waiters that are served one by one, in the order in which they came. */
export class WaitQueue<Value = void> {
  /** A set keeps the order of insertion, and a waiter that gives up leaves it without a search. */
  readonly #waiters = new Set<(value: Value) => void>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Resolves with the value that this waiter is served. Rejects with the signal's reason if the signal aborts first. */
  wait(signal?: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const listening = onAbort(signal, () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      });
      const waiter = (value: Value) => {
        listening[Symbol.dispose]();
        resolve(value);
      };
      this.#waiters.add(waiter);
    });
  }

  /** Serves the first waiter. Returns false if nobody waits. */
  serve(value: Value): boolean {
    const [first] = this.#waiters;
    if (!first) return false;
    this.#waiters.delete(first);
    first(value);
    return true;
  }
}
