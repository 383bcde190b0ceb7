import type { ByteTally } from "./session-size.js";
/** A list of tools as a request declares it. */
export interface ToolList {
    /** Digest of the list; see {@link Interaction.toolsKey}. */
    readonly key: string;
    /** JSON with the spelling of the request. */
    readonly text: string;
}
/**
 * The tools of all sessions of a process. Sessions with the same tools share one text, which is freed with the last session that uses it.
 * It counts in the memory of all sessions together.
 */
export declare class ToolLists {
    #private;
    constructor(tally?: ByteTally);
    /** Number of different lists. */
    get size(): number;
    /**
     * Adds a user of a list.
     *
     * @param write returns the text of the list; called only for a list that no session uses
     */
    acquire(key: string, write: () => string): ToolList;
    /** Removes a user of a list. */
    release(key: string): void;
    get(key: string): ToolList | undefined;
}
