import type { Change } from "./changes.js";
import type { DatabaseOptions } from "./database.js";
import type { SegmentToApply } from "./log/write-ahead-log.js";
/**
 * Commits changes on a separate thread, because a commit blocks until it is on disk. The thread does not keep the process alive,
 * except while a commit is running. If it fails, the next commit starts another one.
 *
 * - LMDB's own asynchronous writes are not used: when such a commit fails, promises reject that no caller can handle.
 * - Every recorded call waits for this thread. A message to it and back takes 0.10 ms, and through a pool of threads 0.20 ms.
 */
export declare class CommitThread {
    #private;
    constructor(options: DatabaseOptions);
    /** Commits changes, all or none. Rejects if the disk refuses the commit. */
    commit(changes: readonly Change[]): Promise<void>;
    /** Commits the changes of a segment of the log, which the thread reads from its file. */
    apply(segment: SegmentToApply): Promise<void>;
    close(): Promise<void>;
}
