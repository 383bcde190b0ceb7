import type { Change, Storage } from "../../storage/index.js";
import type { ToolList } from "../tool-lists.js";
/** Stores the tools of sessions, and removes a list with the last session that uses it. */
export declare class ToolRecords {
    #private;
    constructor(storage: Pick<Storage, "get" | "keys">);
    /** Returns the changes that store a list for a session; none if it has been stored for it. */
    add(number: number, { key, text }: ToolList): Change[];
    /** Returns the changes that remove the lists of a session that was freed. */
    remove(number: number): Change[];
    /**
     * Finds the lists of an earlier process. Returns the changes that remove those that nobody needs, because a damaged folder was copied
     * without their sessions.
     */
    restore(isNeeded: (number: number) => boolean): Change[];
    /**
     * Returns the JSON of a list; undefined if it was not stored.
     *
     * @throws StorageError if it is damaged
     */
    read(key: string): string | undefined;
}
