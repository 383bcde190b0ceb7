/**
 * Measures time that this process has seen: it stands still while the process does. After a pause, for example because its machine
 * slept, heartbeats wait unread in its sockets. With another clock, every lease would be lost before they are read.
 */
export class SteadyClock {
  #lastTick = performance.now();
  #isTicking = false;
  readonly #timer: NodeJS.Timeout;

  /**
   * @param tickMilliseconds time between two ticks. One tick never counts more than twice that time.
   * @param onTick is called at each tick with the time since the last one. The next tick waits for it.
   */
  constructor(tickMilliseconds: number, onTick: (milliseconds: number) => Promise<void>) {
    this.#timer = setInterval(() => {
      if (this.#isTicking) return;
      const time = performance.now();
      const passed = Math.min(time - this.#lastTick, 2 * tickMilliseconds);
      this.#lastTick = time;
      this.#isTicking = true;
      void onTick(passed).finally(() => (this.#isTicking = false));
    }, tickMilliseconds);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
