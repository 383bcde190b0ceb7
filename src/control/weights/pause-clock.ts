/** Measures how long an update holds model calls, over all attempts. */
export class PauseClock {
  readonly #now: () => number;
  #milliseconds = 0;
  #startedAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get seconds(): number {
    const running = this.#startedAt === undefined ? 0 : this.#now() - this.#startedAt;
    return (this.#milliseconds + running) / 1000;
  }

  start(): void {
    this.#startedAt ??= this.#now();
  }

  stop(): void {
    this.#milliseconds = this.seconds * 1000;
    this.#startedAt = undefined;
  }
}
