interface Waiter {
  readonly enter: () => void;
}

/**
 * Lets so many requests through at once; the others wait in their order. A request is made when its turn comes and not
 * before, so that its weight version is that of the moment in which it is sent.
 */
export class Gate {
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(places: number) {
    this.#free = places;
  }

  /** Tasks for which there is no place yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs the task when there is a place for it. Rejects with the signal's reason when that is aborted before. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    let giveUp = () => {};
    try {
      await new Promise<void>((enter, reject) => {
        const waiter: Waiter = { enter };
        this.#waiting.add(waiter);
        giveUp = () => {
          this.#waiting.delete(waiter);
          reject(signal.reason);
        };
        signal.addEventListener("abort", giveUp, { once: true });
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (!next) this.#free++;
    else {
      this.#waiting.delete(next);
      next.enter();
    }
  }
}
