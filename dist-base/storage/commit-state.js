import { closeSync, constants, existsSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { native } from "../native/addon.js";
import { hasFailedSync } from "./failed-sync.js";
import { COMMIT_STATE_SUFFIX } from "./file-names.js";
const IN_PROGRESS = "1";
const CONFIRMED = "0";
/**
 * Says whether a commit of a data file is in progress, for the next process that opens the file. If a process dies during a sync, and
 * that sync fails, nobody learns of it: the kernel counts pages as clean that are not on disk.
 *
 * The state is one byte in a file of its own. It is never synced: after a restart of the machine, the kernel has no such pages.
 */
export class CommitState {
    #path;
    #file;
    #isInProgress = false;
    /** @param path of the data file */
    constructor(path) {
        this.#path = path + COMMIT_STATE_SUFFIX;
        this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    }
    /** Call before a commit. */
    begin() {
        writeSync(this.#file, IN_PROGRESS, 0);
        this.#isInProgress = true;
    }
    /** Call once the commit is on disk. */
    end() {
        writeSync(this.#file, CONFIRMED, 0);
        this.#isInProgress = false;
    }
    /** Closes the file, and removes it if no commit is in progress. */
    close() {
        closeSync(this.#file);
        if (!this.#isInProgress)
            rmSync(this.#path, { force: true });
    }
}
/**
 * Makes a data file read as it is on disk if the last commit of its process was not confirmed. Call it before the file is read. LMDB
 * writes a meta page only once the pages of its commit are on disk, so the disk has a complete commit.
 */
export function dropUnconfirmedPages(path) {
    if (!existsSync(path))
        return;
    if (isInProgress(path) || hasFailedSync(path))
        native.dropCachedPages(path);
}
/** Removes the state of a data file that was replaced. */
export function forgetCommitState(path) {
    rmSync(path + COMMIT_STATE_SUFFIX, { force: true });
}
function isInProgress(path) {
    const state = path + COMMIT_STATE_SUFFIX;
    return existsSync(state) && readFileSync(state, "latin1") === IN_PROGRESS;
}
//# sourceMappingURL=commit-state.js.map