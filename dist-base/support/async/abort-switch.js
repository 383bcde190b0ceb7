import { setMaxListeners } from "node:events";
/**
 * Ends work early, as an AbortController does, and tells its listeners itself: an AbortSignal and one listener take 10 microseconds of a
 * model call. An AbortSignal is made only for code that needs one.
 */
export class AbortSwitch {
    #aborted = false;
    #reason;
    /** Made for the first listener. */
    #listeners;
    /** Made for the first caller of {@link signal}. */
    #controller;
    get aborted() {
        return this.#aborted;
    }
    get reason() {
        return this.#reason;
    }
    /** Aborts with the switch. */
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
    /** Calls `listener` when the switch aborts. It aborts once, so a listener is called at most once. */
    addEventListener(_type, listener) {
        this.#listeners ??= new Set();
        this.#listeners.add(listener);
    }
    removeEventListener(_type, listener) {
        this.#listeners?.delete(listener);
    }
    /** Has no effect after the first time. */
    abort(reason) {
        if (this.#aborted)
            return;
        this.#aborted = true;
        this.#reason = reason;
        this.#controller?.abort(reason);
        // A listener that another one removes is not called any more, as with an AbortSignal.
        for (const listener of this.#listeners ?? [])
            listener();
        this.#listeners = undefined;
    }
}
/** A limit of 0 would also mean unlimited, but undici reads the limit back, which fails on Node 20 if it is 0. */
export function setUnlimitedListeners(signal) {
    setMaxListeners(Number.POSITIVE_INFINITY, signal);
}
//# sourceMappingURL=abort-switch.js.map