/** The rollout workers that registered with this process. */
export class WorkerList {
    #workers = new Map();
    /** Workers that had leases before this process started and have not registered with it, and since when they are awaited. */
    #awaited = new Map();
    /** Adds a worker. Returns the former workers of the same name, which have ended. */
    add(id, name) {
        const former = [...this.#workers.values()].filter((worker) => worker.name === name && worker.id !== id);
        for (const worker of former)
            this.#workers.delete(worker.id);
        this.#awaited.delete(id);
        this.#workers.set(id, { id, name, lastCall: performance.now() });
        return former;
    }
    /** Notes a call of a worker. Returns false if it is unknown, because this process started after it. */
    touch(id) {
        const worker = this.#workers.get(id);
        if (worker)
            worker.lastCall = performance.now();
        return worker !== undefined;
    }
    /** Notes that a worker from before a restart may register. */
    expect(id) {
        this.#awaited.set(id, performance.now());
    }
    remove(id) {
        this.#workers.delete(id);
        this.#awaited.delete(id);
    }
    /** Returns true if a worker called within `seconds`, or is awaited since then. */
    hasAlive(seconds) {
        const since = performance.now() - seconds * 1000;
        const lastCalls = [...this.all().map(({ lastCall }) => lastCall), ...this.#awaited.values()];
        return lastCalls.some((lastCall) => lastCall >= since);
    }
    /** Number of workers that called within `seconds`, at least 1. */
    active(seconds) {
        const since = performance.now() - seconds * 1000;
        return Math.max(1, this.all().filter(({ lastCall }) => lastCall >= since).length);
    }
    all() {
        return [...this.#workers.values()];
    }
}
//# sourceMappingURL=worker-list.js.map