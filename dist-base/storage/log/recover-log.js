import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LmdbFile } from "../database.js";
import { damagedLogError } from "../errors.js";
import { DATA_FILE, LOG_FILES } from "../file-names.js";
import { requireSpace } from "../file-system.js";
import { newLogState, storeLogState } from "./log-state.js";
import { mergeChanges } from "./merge-changes.js";
import { readUnapplied } from "./read-log.js";
/**
 * Applies what a crash left in the log of a locked folder, and returns the state from which a new log begins. The log files can be
 * overwritten afterwards.
 *
 * @param needsLog false: removes the log files, and returns undefined
 * @throws StorageError `storage_unusable` if the log is damaged
 */
export async function recoverLog(directory, needsLog) {
    const path = join(directory, DATA_FILE);
    const hasLog = LOG_FILES.some((name) => existsSync(join(directory, name)));
    if (!hasLog && !needsLog)
        return undefined;
    // With any durability of this start, the changes must be on disk before the log files are overwritten or removed.
    const file = new LmdbFile({ path, sync: true, readOnly: false });
    try {
        const { state: found, segments, damage } = readUnapplied(directory, file);
        if (damage !== undefined)
            throw damagedLogError(directory, damage);
        let state = found ?? newLogState();
        if (!found) {
            requireSpace(path, 0, 1);
            file.commit([storeLogState(state)]);
        }
        for (const { epoch, records } of segments) {
            const changes = mergeChanges(records);
            requireSpace(path, records.at(-1)?.end ?? 0, changes.length);
            state = { log: state.log, applied: epoch };
            file.commit([...changes, storeLogState(state)]);
        }
        if (needsLog)
            return state;
        removeLog(directory);
        return undefined;
    }
    finally {
        await file.close();
    }
}
/** Removes the log files of a folder. Their changes must be in the data file. */
export function removeLog(directory) {
    for (const name of LOG_FILES)
        rmSync(join(directory, name), { force: true });
}
//# sourceMappingURL=recover-log.js.map