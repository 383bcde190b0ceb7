import { LRUCache } from "lru-cache";
/** An agent with sub-agents alternates between a few conversations. */
const PER_SESSION = 4;
/**
 * Items of the newest requests of each session, so that the next request costs only what is new in it. If they take too much
 * memory, the least recently used sessions are dropped; the next request of such a session is processed as a whole.
 */
export class Recent {
    #sessions;
    #free;
    /**
     * @param maxBytes 0 keeps nothing
     * @param measure returns the memory of an item, in bytes
     * @param free frees memory of an item that is kept no longer. Requests that share parts with it may still run
     */
    constructor(maxBytes, measure, free = () => undefined) {
        this.#free = free;
        this.#sessions = new LRUCache({
            maxSize: Math.max(1, maxBytes),
            sizeCalculation: (items) => items.reduce((bytes, item) => bytes + measure(item), 1),
            dispose: (items, _session, reason) => {
                if (reason !== "set")
                    for (const item of items)
                        free(item);
            },
        });
    }
    forSession(session) {
        const items = this.#sessions.get(session) ?? [];
        return {
            items,
            add: (item, replaced) => this.#add(session, item, replaced),
            take: (item) => this.#take(session, item),
        };
    }
    #add(session, item, replaced) {
        if (session.lifecycle.freed)
            return;
        const earlier = this.#sessions.get(session) ?? [];
        const kept = [item, ...earlier.filter((each) => each !== replaced)].slice(0, PER_SESSION);
        this.#sessions.set(session, kept);
        for (const each of earlier)
            if (!kept.includes(each))
                this.#free(each);
    }
    #take(session, item) {
        const earlier = this.#sessions.get(session) ?? [];
        this.#sessions.set(session, earlier.filter((each) => each !== item));
    }
    /** Drops the items of sessions whose data is freed. */
    sweep() {
        const freed = Array.from(this.#sessions.keys()).filter(({ lifecycle }) => lifecycle.freed);
        for (const session of freed)
            this.#sessions.delete(session);
    }
    clear() {
        this.#sessions.clear();
    }
    /** Memory of all items. */
    get bytes() {
        return this.#sessions.calculatedSize;
    }
}
//# sourceMappingURL=recent.js.map