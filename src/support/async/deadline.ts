import { setMaxListeners } from "node:events";
import type { AbortSource } from "./abort-source.js";
import { onAbort } from "./on-abort.js";

/** The limit of setTimeout, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A caller's signal joined with a time limit. Dispose it when the work is done.
 *
 * It aborts with the caller's reason, with the error of the time-out, or with the reason given to {@link abort}. Code that takes an
 * {@link AbortSource} listens to the deadline itself: an AbortSignal and its listeners take 15 microseconds of a model call.
 */
export class Deadline implements AbortSource, Disposable {
  #aborted = false;
  #reason: unknown;
  readonly #listeners = new Set<() => void>();
  /** Created for the first caller of {@link signal}. */
  #controller: AbortController | undefined;
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
  constructor(caller: AbortSignal | undefined, seconds: number | undefined, expired: () => Error) {
    // Hundreds of episodes or calls may listen to one signal, which is no leak.
    if (caller) setUnlimitedListeners(caller);
    this.#listening = onAbort(caller, () => this.#abort(caller?.reason));
    this.#expired = expired;
    this.#millisecondsLeft = seconds === undefined ? undefined : seconds * 1000;
    this.#startClock();
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** The deadline as a signal, for code that needs one. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      setUnlimitedListeners(this.#controller.signal);
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  /** Calls `listener` when the deadline aborts. A deadline aborts once, so a listener is called at most once. */
  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
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
    this.#timer = setTimeout(() => this.#abort(this.#expired()), Math.min(this.#millisecondsLeft, LONGEST_MS));
  }

  /** Aborts early. */
  abort(reason: Error): void {
    this.#abort(reason);
  }

  #abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    // A listener that another one removes is not called any more, as with an AbortSignal.
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Stops the timer and removes the listener from the caller's signal. The deadline stays as it is. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#listening[Symbol.dispose]();
  }
}

/** A limit of 0 would also mean unlimited, but undici reads the limit back, which fails on Node 20 if it is 0. */
function setUnlimitedListeners(signal: AbortSignal): void {
  setMaxListeners(Number.POSITIVE_INFINITY, signal);
}
