import type { AbortSource } from "./abort-source.js";
import { onAbort } from "./on-abort.js";

/** Tasks that wait for the same event. All of them continue when it happens. */
export class Waiters {
  /** Undefined while no task waits. Every session has several objects of this class. */
  #waiting: Set<() => void> | undefined;

  /** Resumes every task that waits now. */
  wake(): void {
    const woken = this.#waiting;
    this.#waiting = undefined;
    for (const resume of woken ?? []) resume();
  }

  /** Resolves with true when woken, with false after `milliseconds` or when the signal aborts. */
  wait(milliseconds: number, signal?: AbortSource): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (woken: boolean) => {
        clearTimeout(timer);
        listening[Symbol.dispose]();
        this.#remove(wokenUp);
        resolve(woken);
      };
      const wokenUp = () => settle(true);
      const givenUp = () => settle(false);
      const timer = Number.isFinite(milliseconds) ? setTimeout(givenUp, milliseconds) : undefined;
      const listening = onAbort(signal, givenUp);
      this.#waiting ??= new Set();
      this.#waiting.add(wokenUp);
    });
  }

  #remove(waiter: () => void): void {
    this.#waiting?.delete(waiter);
    if (this.#waiting?.size === 0) this.#waiting = undefined;
  }
}
