import { WaitQueue } from "./wait-queue.js";
/** Limits how many tasks run at once. Those that wait are admitted in the order in which they came. */
export class Semaphore {
    #free;
    #queue = new WaitQueue();
    /** @param permits how many may be held at once */
    constructor(permits) {
        this.#free = permits;
    }
    /** Tasks that wait for a permit. */
    get waiting() {
        return this.#queue.length;
    }
    /** Returns a permit if one is free, else undefined. Dispose it when the task is over; a second time has no effect. */
    tryAcquire() {
        if (this.#free === 0)
            return undefined;
        this.#free--;
        return this.#permit();
    }
    /** Waits for a permit. Rejects with the signal's reason if the signal is aborted or aborts first. */
    async acquire(signal) {
        signal?.throwIfAborted();
        const free = this.tryAcquire();
        if (free)
            return free;
        await this.#queue.wait(signal);
        return this.#permit();
    }
    #permit() {
        let held = true;
        const release = () => {
            if (held)
                this.#release();
            held = false;
        };
        return { [Symbol.dispose]: release };
    }
    /** A permit passes directly to the first task that waits, so that a task that comes later cannot take it. */
    #release() {
        if (!this.#queue.serve())
            this.#free++;
    }
}
//# sourceMappingURL=semaphore.js.map