/** Those who wait for something to happen. Who waits in vain leaves nothing behind. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Lets everyone go on who waits now. */
  wake(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of woken) resume();
  }

  /** Resolves with true when woken, with false after `milliseconds` or when the signal aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (woken: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(wokenUp);
        signal?.removeEventListener("abort", givenUp);
        resolve(woken);
      };
      const wokenUp = () => settle(true);
      const givenUp = () => settle(false);
      const timer = Number.isFinite(milliseconds) ? setTimeout(givenUp, milliseconds) : undefined;
      signal?.addEventListener("abort", givenUp, { once: true });
      this.#waiting.add(wokenUp);
    });
  }
}
