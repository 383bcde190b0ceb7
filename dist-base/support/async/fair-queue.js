import { LinkedList } from "../linked-list.js";
import { onAbort } from "./on-abort.js";
/**
 * A queue in which keys take turns. The waiters of one key are served in their order of arrival. A key with thousands of waiters
 * delays each other key by one turn only.
 *
 * Every operation takes constant time, except {@link serveAll} and {@link rejectAll}.
 */
export class FairQueue {
    /** The lines in the order of their turns. */
    #turns = new LinkedList();
    /** Items of {@link #turns} by key. */
    #items = new Map();
    #length = 0;
    get length() {
        return this.#length;
    }
    /** Waits until it is served, and resolves to the served value. Rejects with the signal's reason if the signal aborts first. */
    wait(key, signal) {
        return new Promise((resolve, reject) => {
            if (signal?.aborted)
                return reject(signal.reason);
            const listening = onAbort(signal, () => {
                this.#remove(lineItem, waiterItem);
                reject(signal?.reason);
            });
            const lineItem = this.#items.get(key) ?? this.#addLine(key);
            const waiterItem = lineItem.value.waiters.push({
                resolve: (value) => {
                    listening[Symbol.dispose]();
                    resolve(value);
                },
                reject: (reason) => {
                    listening[Symbol.dispose]();
                    reject(reason);
                },
            });
            this.#length++;
        });
    }
    /** Serves the first waiter of the key whose turn it is. Returns false if nobody waits. */
    serve(value) {
        const waiter = this.#take();
        waiter?.resolve(value);
        return waiter !== undefined;
    }
    /** Serves all current waiters. */
    serveAll(value) {
        for (const waiter of this.#takeAll())
            waiter.resolve(value);
    }
    /** Rejects all current waiters. */
    rejectAll(reason) {
        for (const waiter of this.#takeAll())
            waiter.reject(reason);
    }
    #addLine(key) {
        const lineItem = this.#turns.push({ key, waiters: new LinkedList() });
        this.#items.set(key, lineItem);
        return lineItem;
    }
    #take() {
        const lineItem = this.#turns.first;
        const waiterItem = lineItem?.value.waiters.first;
        if (!lineItem || !waiterItem)
            return undefined;
        this.#turns.moveToEnd(lineItem);
        this.#remove(lineItem, waiterItem);
        return waiterItem.value;
    }
    /** Empties the queue and returns its waiters, so that waiters which arrive while these continue are not among them. */
    #takeAll() {
        const waiters = [];
        for (let waiter = this.#take(); waiter; waiter = this.#take())
            waiters.push(waiter);
        return waiters;
    }
    #remove(lineItem, waiterItem) {
        const { key, waiters } = lineItem.value;
        waiters.remove(waiterItem);
        this.#length--;
        if (waiters.first)
            return;
        this.#turns.remove(lineItem);
        this.#items.delete(key);
    }
}
//# sourceMappingURL=fair-queue.js.map