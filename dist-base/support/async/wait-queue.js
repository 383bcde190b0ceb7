import { onAbort } from "./on-abort.js";
/** Waiters that are served one by one, in the order in which they came. */
export class WaitQueue {
    /** A set keeps the order of insertion, and a waiter that gives up leaves it without a search. */
    #waiters = new Set();
    get length() {
        return this.#waiters.size;
    }
    /** Resolves with the value that this waiter is served. Rejects with the signal's reason if the signal aborts first. */
    wait(signal) {
        return new Promise((resolve, reject) => {
            if (signal?.aborted)
                return reject(signal.reason);
            const listening = onAbort(signal, () => {
                this.#waiters.delete(waiter);
                reject(signal?.reason);
            });
            const waiter = (value) => {
                listening[Symbol.dispose]();
                resolve(value);
            };
            this.#waiters.add(waiter);
        });
    }
    /** Serves the first waiter. Returns false if nobody waits. */
    serve(value) {
        const [first] = this.#waiters;
        if (!first)
            return false;
        this.#waiters.delete(first);
        first(value);
        return true;
    }
}
//# sourceMappingURL=wait-queue.js.map