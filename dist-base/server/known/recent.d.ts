import type { Session } from "../../session/session.js";
/** The recent items of one session, the newest first. */
export interface RecentItems<T> {
    readonly items: readonly T[];
    /** @param replaced an item that the new one continues, which is dropped */
    add(item: T, replaced?: T): void;
    /** Removes an item without freeing its memory, which then belongs to the caller. */
    take(item: T): void;
}
/**
 * Items of the newest requests of each session, so that the next request costs only what is new in it. If they take too much
 * memory, the least recently used sessions are dropped; the next request of such a session is processed as a whole.
 */
export declare class Recent<T extends object> {
    #private;
    /**
     * @param maxBytes 0 keeps nothing
     * @param measure returns the memory of an item, in bytes
     * @param free frees memory of an item that is kept no longer. Requests that share parts with it may still run
     */
    constructor(maxBytes: number, measure: (item: T) => number, free?: (item: T) => void);
    forSession(session: Session): RecentItems<T>;
    /** Drops the items of sessions whose data is freed. */
    sweep(): void;
    clear(): void;
    /** Memory of all items. */
    get bytes(): number;
}
