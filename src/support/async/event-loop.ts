/** A request's text of at least this many characters takes a millisecond or more to parse or to render. */
export const LONG_TEXT = 64 * 1024;

/**
 * Admits one long piece of work per iteration of the event loop. Without this, requests that arrive together would all
 * be processed in one iteration, and everything else would wait for all of them.
 */
export class EventLoop {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in an iteration of its own, in the order of the calls. */
  yield(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#admit);
    });
  }

  /** Runs long work in an iteration of its own. What follows has another one. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    await this.yield();
    const result = await work();
    await this.yield();
    return result;
  }

  readonly #admit = (): void => {
    this.#waiting.shift()?.();
    // An immediate set here runs in the next iteration, after timers and sockets had their turn.
    if (this.#waiting.length > 0) setImmediate(this.#admit);
  };
}

/** Shared by the whole process, which has one event loop. */
export const eventLoop = new EventLoop();
