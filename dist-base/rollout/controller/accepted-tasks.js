/** The tasks from their start until a batch takes them. They start in the order of their indices, except for those that run again. */
export class AcceptedTasks {
    #order;
    /** The version with which each task began. */
    #running = new Map();
    #accepted = new Map();
    constructor(order) {
        this.#order = order;
    }
    start(index, version) {
        this.#running.set(index, version);
    }
    /** Notes that a task has ended. `accepted` is its result, or undefined if it was rejected. */
    end(index, accepted) {
        this.#running.delete(index);
        if (accepted)
            this.#accepted.set(index, accepted);
    }
    /** Returns the tasks of the next batch in order; undefined if it is not complete yet. */
    take({ count, dueVersion, last }) {
        if (this.#accepted.size < count && !last)
            return undefined;
        const indices = [...this.#accepted.keys()].toSorted((a, b) => a - b).slice(0, count);
        const mustWait = this.#order === "task" ? this.#runsBefore(indices) : this.#wouldExpire(indices, count, dueVersion);
        if (mustWait)
            return undefined;
        return indices.flatMap((index) => {
            const task = this.#accepted.get(index);
            this.#accepted.delete(index);
            return task ?? [];
        });
    }
    #runsBefore(indices) {
        const last = indices.at(-1) ?? 0;
        return [...this.#running.keys()].some((index) => index < last);
    }
    /**
     * Returns true if the batch overtakes older tasks, and some of these would then become too stale. Each later version
     * takes `count` tasks, and a task that began with version v can wait for v - dueVersion later versions.
     */
    #wouldExpire(indices, count, dueVersion) {
        const batch = new Set(indices);
        const versions = (inBatch) => [...this.#accepted.values()].filter(({ index }) => batch.has(index) === inBatch).map(({ version }) => version);
        const newest = Math.max(...versions(true));
        if (![...this.#running.values()].some((version) => version < newest))
            return false;
        const remaining = [...this.#running.values(), ...versions(false)].toSorted((a, b) => a - b);
        return remaining.some((version, i) => i + 1 > count * (version - dueVersion));
    }
}
//# sourceMappingURL=accepted-tasks.js.map