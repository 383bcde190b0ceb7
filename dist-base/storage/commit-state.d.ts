/**
 * Says whether a commit of a data file is in progress, for the next process that opens the file. If a process dies during a sync, and
 * that sync fails, nobody learns of it: the kernel counts pages as clean that are not on disk.
 *
 * The state is one byte in a file of its own. It is never synced: after a restart of the machine, the kernel has no such pages.
 */
export declare class CommitState {
    #private;
    /** @param path of the data file */
    constructor(path: string);
    /** Call before a commit. */
    begin(): void;
    /** Call once the commit is on disk. */
    end(): void;
    /** Closes the file, and removes it if no commit is in progress. */
    close(): void;
}
/**
 * Makes a data file read as it is on disk if the last commit of its process was not confirmed. Call it before the file is read. LMDB
 * writes a meta page only once the pages of its commit are on disk, so the disk has a complete commit.
 */
export declare function dropUnconfirmedPages(path: string): void;
/** Removes the state of a data file that was replaced. */
export declare function forgetCommitState(path: string): void;
