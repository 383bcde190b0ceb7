import { setMaxListeners } from "node:events";
import { onAbort } from "./on-abort.js";

/** The limit of setTimeout, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** A caller's signal joined with a time limit. Dispose it when the work is done. */
export class Deadline implements Disposable {
  /** Aborts with the caller's reason, with the error of the time-out, or with the reason given to {@link abort}. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #listening: Disposable;
  readonly #expire: () => void;
  /** Time left when the clock last started; undefined if there is no limit. */
  #millisecondsLeft: number | undefined;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param seconds no limit if undefined
   * @param expired creates the error of the time-out
   */
  constructor(caller: AbortSignal | undefined, seconds: number | undefined, expired: () => Error) {
    const { signal } = this.#controller;
    // Hundreds of episodes or calls may listen to one signal, which is no leak. A limit of 0 would also mean unlimited, but
    // undici reads the limit back, which fails on Node 20 if it is 0.
    setMaxListeners(Number.POSITIVE_INFINITY, signal, ...(caller ? [caller] : []));
    this.signal = signal;
    this.#listening = onAbort(caller, () => this.#controller.abort(caller?.reason));
    this.#expire = () => this.#controller.abort(expired());
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
    this.#timer = setTimeout(this.#expire, Math.min(this.#millisecondsLeft, LONGEST_MS));
  }

  /** Aborts the signal early. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Stops the timer and removes the listener from the caller's signal. The signal stays as it is. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#listening[Symbol.dispose]();
  }
}
