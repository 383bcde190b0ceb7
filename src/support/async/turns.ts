/** From this many characters on, the text of a request takes a millisecond or more to read or to render. */
export const LONG_TEXT = 64 * 1024;

/**
 * Lets one long piece of work into each round of the event loop. Requests that come together would else be worked on in
 * one round, and everything else would wait for their sum.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves in a round of its own, in the order of the calls. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#admit);
    });
  }

  readonly #admit = (): void => {
    this.#waiting.shift()?.();
    // What is set here comes in the next round: timers and sockets have their turn before it.
    if (this.#waiting.length > 0) setImmediate(this.#admit);
  };
}

/** Of the whole process, which has one event loop. */
export const turns = new Turns();
