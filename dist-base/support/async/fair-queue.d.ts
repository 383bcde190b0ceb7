import type { AbortSource } from "./abort-source.js";
/**
 * A queue in which keys take turns. The waiters of one key are served in their order of arrival. A key with thousands of waiters
 * delays each other key by one turn only.
 *
 * Every operation takes constant time, except {@link serveAll} and {@link rejectAll}.
 */
export declare class FairQueue<Value> {
    #private;
    get length(): number;
    /** Waits until it is served, and resolves to the served value. Rejects with the signal's reason if the signal aborts first. */
    wait(key: string, signal?: AbortSource): Promise<Value>;
    /** Serves the first waiter of the key whose turn it is. Returns false if nobody waits. */
    serve(value: Value): boolean;
    /** Serves all current waiters. */
    serveAll(value: Value): void;
    /** Rejects all current waiters. */
    rejectAll(reason: unknown): void;
}
