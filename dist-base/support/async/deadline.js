import { setMaxListeners } from "node:events";
import { onAbort } from "./on-abort.js";
/** The limit of setTimeout, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;
/**
 * A caller's signal joined with a time limit. Dispose it when the work is done.
 *
 * It aborts with the caller's reason, with the error of the time-out, or with the reason given to {@link abort}. Code that takes an
 * {@link AbortSource} listens to the deadline itself: an AbortSignal and its listeners take 15 microseconds of a model call.
 */
export class Deadline {
    #aborted = false;
    #reason;
    #listeners = new Set();
    /** Created for the first caller of {@link signal}. */
    #controller;
    #listening;
    #expired;
    /** Time left when the clock last started; undefined if there is no limit. */
    #millisecondsLeft;
    #startedAt = 0;
    #timer;
    /**
     * @param seconds no limit if undefined
     * @param expired creates the error of the time-out
     */
    constructor(caller, seconds, expired) {
        // Hundreds of episodes or calls may listen to one signal, which is no leak.
        if (caller)
            setUnlimitedListeners(caller);
        this.#listening = onAbort(caller, () => this.#abort(caller?.reason));
        this.#expired = expired;
        this.#millisecondsLeft = seconds === undefined ? undefined : seconds * 1000;
        this.#startClock();
    }
    get aborted() {
        return this.#aborted;
    }
    get reason() {
        return this.#reason;
    }
    /** The deadline as a signal, for code that needs one. */
    get signal() {
        if (!this.#controller) {
            this.#controller = new AbortController();
            setUnlimitedListeners(this.#controller.signal);
            if (this.#aborted)
                this.#controller.abort(this.#reason);
        }
        return this.#controller.signal;
    }
    throwIfAborted() {
        if (this.#aborted)
            throw this.#reason;
    }
    /** Calls `listener` when the deadline aborts. A deadline aborts once, so a listener is called at most once. */
    addEventListener(_type, listener) {
        this.#listeners.add(listener);
    }
    removeEventListener(_type, listener) {
        this.#listeners.delete(listener);
    }
    /**
     * Stops the clock during time that does not count. The signal still aborts with the caller's signal.
     *
     * @returns a handle that starts the clock again. Dispose of it before you dispose of the deadline.
     */
    stopClock() {
        clearTimeout(this.#timer);
        if (this.#millisecondsLeft !== undefined)
            this.#millisecondsLeft -= performance.now() - this.#startedAt;
        return { [Symbol.dispose]: () => this.#startClock() };
    }
    #startClock() {
        if (this.#millisecondsLeft === undefined)
            return;
        this.#startedAt = performance.now();
        this.#timer = setTimeout(() => this.#abort(this.#expired()), Math.min(this.#millisecondsLeft, LONGEST_MS));
    }
    /** Aborts early. */
    abort(reason) {
        this.#abort(reason);
    }
    #abort(reason) {
        if (this.#aborted)
            return;
        this.#aborted = true;
        this.#reason = reason;
        this.#controller?.abort(reason);
        // A listener that another one removes is not called any more, as with an AbortSignal.
        for (const listener of this.#listeners)
            listener();
        this.#listeners.clear();
    }
    /** Stops the timer and removes the listener from the caller's signal. The deadline stays as it is. */
    [Symbol.dispose]() {
        clearTimeout(this.#timer);
        this.#listening[Symbol.dispose]();
    }
}
/** A limit of 0 would also mean unlimited, but undici reads the limit back, which fails on Node 20 if it is 0. */
function setUnlimitedListeners(signal) {
    setMaxListeners(Number.POSITIVE_INFINITY, signal);
}
//# sourceMappingURL=deadline.js.map