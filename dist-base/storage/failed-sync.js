import { existsSync, writeFileSync } from "node:fs";
import { FAILED_SYNC_SUFFIX } from "./file-names.js";
/**
 * What to do after a sync that failed. The kernel then counts pages as clean that are not on disk. Its copy of them in memory cannot be
 * trusted, not even if they are written again: on ext4, such pages were zeros after the next mount, although a later sync succeeded.
 *
 * So the process that saw the failure commits nothing more, and the next one writes all entries to a new file before it begins. A file
 * marks the failure. It need not reach the disk: after a restart of the machine, the kernel no longer has the untrusted pages.
 */
/** The reason for which a process commits nothing more, for messages. */
export const FAILED_SYNC = "the disk did not confirm a write, so the state of the file on disk is unknown. Check the disk, then restart the server";
/** Marks a data file. If the disk refuses even that, the state of its commit tells the next process; see `commit-state.ts`. */
export function markFailedSync(path) {
    try {
        writeFileSync(path + FAILED_SYNC_SUFFIX, "");
    }
    catch { }
}
/** Returns true if a sync of a data file failed, in this process or an earlier one. */
export function hasFailedSync(path) {
    return existsSync(path + FAILED_SYNC_SUFFIX);
}
//# sourceMappingURL=failed-sync.js.map