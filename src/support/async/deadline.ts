import type { AbortSource } from "./abort-source.js";
import { AbortSwitch, setUnlimitedListeners } from "./abort-switch.js";
import { onAbort } from "./on-abort.js";

/** The limit of setTimeout, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A caller's signal joined with a time limit. Dispose it when the work is done.
 *
 * It aborts with the caller's reason, with the error of the time-out, or with the reason given to {@link abort}.
 */
export class Deadline extends AbortSwitch implements Disposable {
  readonly #listening: Disposable;
  readonly #expired: () => Error;
  /** Time left when the clock last started; undefined if there is no limit. */
  #millisecondsLeft: number | undefined;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param seconds no limit if undefined
   * @param expired creates the error of the time-out
   */
  constructor(caller: AbortSource | undefined, seconds: number | undefined, expired: () => Error) {
    super();
    // Hundreds of episodes or calls may listen to one signal, which is no leak.
    if (caller instanceof AbortSignal) setUnlimitedListeners(caller);
    this.#listening = onAbort(caller, () => this.abort(caller?.reason));
    this.#expired = expired;
    this.#millisecondsLeft = seconds === undefined ? undefined : seconds * 1000;
    this.#startClock();
  }

  /**
   * Stops the clock during time that does not count. The signal still aborts with the caller's signal.
   *
   * @returns a handle that starts the clock again. Dispose of it before you dispose of the deadline.
   */
  stopClock(): Disposable {
    clearTimeout(this.#timer);
    if (this.#millisecondsLeft !== undefined) this.#millisecondsLeft -= performance.now() - this.#startedAt;
    return { [Symbol.dispose]: () => this.#startClock() };
  }

  #startClock(): void {
    if (this.#millisecondsLeft === undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.abort(this.#expired()), Math.min(this.#millisecondsLeft, LONGEST_MS));
  }

  /** Stops the timer and removes the listener from the caller's signal. The deadline stays as it is. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#listening[Symbol.dispose]();
  }
}
