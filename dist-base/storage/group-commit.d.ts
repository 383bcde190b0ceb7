import type { Change } from "./changes.js";
import { type StorageError } from "./errors.js";
/** Puts changes on disk, all or none. Rejects if the disk refuses them. */
export type Commit = (changes: readonly Change[]) => Promise<void>;
export interface GroupCommitOptions {
    readonly commit: Commit;
    /** Time between the first change of a commit and the commit. */
    readonly delayMilliseconds: number;
    /** Time after a failed commit until it is tried again. */
    readonly retryMilliseconds?: number;
    /** Called with the error when commits begin to fail, and with undefined when one succeeds again. */
    readonly onFailure?: (failure: StorageError | undefined) => void;
}
/**
 * Writes changes in the order in which they come. All changes that come while a commit is running share the next commit.
 *
 * Only one commit runs at a time. If it fails, its changes stay first in the queue and are tried again, so that no later change
 * is on disk without the earlier ones.
 */
export declare class GroupCommit {
    #private;
    constructor(options: GroupCommitOptions);
    /** The error of the last commit; undefined if it succeeded. */
    get failure(): StorageError | undefined;
    /** Number of groups of changes that are not on disk. */
    get pending(): number;
    /** Queues changes. All changes of one event turn are one group, which is committed together: they belong to one step of the server. */
    write(changes: readonly Change[]): void;
    /** Resolves when everything that was queued so far is on disk. Rejects if a commit fails first. */
    flushed(): Promise<void>;
    /** Waits for the last commit. Changes that the disk still refuses are lost. */
    close(): Promise<void>;
}
