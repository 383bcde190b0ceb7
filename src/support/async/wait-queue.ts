import { onAbort } from "./on-abort.js";

interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

/** Waiters that are served one by one, in the order in which they came. */
export class WaitQueue<Value = void> {
  /** A set keeps the order of insertion, and a waiter that gives up leaves it without a search. */
  readonly #waiters = new Set<Waiter<Value>>();

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
      const waiter: Waiter<Value> = {
        resolve: (value) => {
          listening[Symbol.dispose]();
          resolve(value);
        },
        reject: (reason) => {
          listening[Symbol.dispose]();
          reject(reason);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Serves the first waiter. Returns false if nobody waits. */
  serve(value: Value): boolean {
    const [first] = this.#waiters;
    if (!first) return false;
    this.#waiters.delete(first);
    first.resolve(value);
    return true;
  }

  /** Rejects everybody who waits now. */
  rejectAll(reason: unknown): void {
    const rejected = [...this.#waiters];
    this.#waiters.clear();
    for (const { reject } of rejected) reject(reason);
  }
}
