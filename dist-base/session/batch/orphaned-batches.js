import { readdirSync } from "node:fs";
import { native } from "../../native/addon.js";
/** Names of the lock files of pools. Each pool locks one file as long as its process lives. */
const LOCK = /^rolltape-\d+-[0-9a-f]+\.lock$/;
/**
 * Removes the batch files of this user's dead processes, for example after `kill -9`. Batches that a reader moved, linked or mapped
 * stay.
 */
export function removeOrphanedBatches(directory) {
    if (!hasLocks(directory))
        return;
    try {
        // Opening a pool removes the files of pools whose lock file is not locked any more.
        new native.SharedPool({ directory, maxBytes: 1 }).close();
    }
    catch {
        // If files cannot be created in the directory, the first batch reports it.
    }
}
function hasLocks(directory) {
    try {
        return readdirSync(directory).some((name) => LOCK.test(name));
    }
    catch {
        return false;
    }
}
//# sourceMappingURL=orphaned-batches.js.map