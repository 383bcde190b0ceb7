import { rm } from "node:fs/promises";
import { join } from "node:path";
import { TABLES } from "./changes.js";
import { compactStorage } from "./compact-storage.js";
import { hasFailedSync } from "./failed-sync.js";
import { DATA_FILE, FAILED_SYNC_SUFFIX } from "./file-names.js";
import { OfflineStorage } from "./offline-storage.js";
/**
 * Replaces the data file of a locked folder if a sync of it failed. Keeps the original if it has damage.
 *
 * @throws StorageError `storage_unusable` if the new file cannot be written
 */
export async function replaceAfterFailedSync(directory) {
    const path = join(directory, DATA_FILE);
    if (!hasFailedSync(path))
        return;
    const storage = OfflineStorage.openCopy(directory, DATA_FILE);
    try {
        await compactStorage(storage, { keepOriginal: isDamaged(storage) });
    }
    finally {
        storage.close();
    }
    await rm(path + FAILED_SYNC_SUFFIX);
}
function isDamaged(storage) {
    let damaged = false;
    for (const table of TABLES) {
        for (const _ of storage.scan(table, () => (damaged = true)))
            ;
    }
    return damaged;
}
//# sourceMappingURL=replace-file.js.map