/**
 * Calls `listener` when the signal aborts, and immediately if it is already aborted.
 *
 * @returns a handle that removes the listener. Dispose it when the work is done, because a signal may outlive it by hours.
 */
export function onAbort(signal, listener) {
    if (signal?.aborted)
        listener();
    else
        signal?.addEventListener("abort", listener, { once: true });
    return new AbortListening(signal, listener);
}
/** A class, because Node 20 needs half a microsecond for a literal with a method named by a symbol. */
class AbortListening {
    #signal;
    #listener;
    constructor(signal, listener) {
        this.#signal = signal;
        this.#listener = listener;
    }
    [Symbol.dispose]() {
        this.#signal?.removeEventListener("abort", this.#listener);
    }
}
//# sourceMappingURL=on-abort.js.map