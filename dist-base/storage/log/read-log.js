import { LOG_FILES } from "../file-names.js";
import { readLogFile } from "./log-file.js";
import { readLogState } from "./log-state.js";
/**
 * Reads the changes of a folder's log that are not in its data file.
 *
 * A record that was being written at a crash may be incomplete. It was never confirmed and does not count. Since a record is written
 * only once the one before it is on disk, a record that has a successor is complete: if it is not, the file is damaged.
 *
 * @param storage reads the data file
 */
export function readUnapplied(directory, storage) {
    const { state, damage } = tryReadState(storage);
    const applied = state?.applied ?? 0;
    const files = LOG_FILES.map((name) => readLogFile(directory, name, state));
    const unapplied = files.filter(({ epoch }) => epoch > applied).sort((a, b) => a.epoch - b.epoch);
    const newest = unapplied.at(-1)?.epoch ?? applied;
    const refuse = (reason) => ({ state, segments: [], newest, damage: reason });
    if (damage !== undefined)
        return refuse(damage);
    const foreign = files.find(({ isForeign }) => isForeign);
    if (foreign)
        return refuse(`${foreign.name} belongs to another data file`);
    const missing = files.find(({ exists }) => !exists);
    if (missing && unapplied.length > 0)
        return refuse(`${missing.name} is missing`);
    return { state, newest, ...takeIntact(unapplied, applied + 1) };
}
function tryReadState(storage) {
    try {
        return { state: readLogState(storage) };
    }
    catch (error) {
        return { damage: error.message };
    }
}
/** Returns the segments from `epoch` on, up to the first one of which confirmed changes are missing. */
function takeIntact(files, epoch) {
    const segments = [];
    for (const [i, file] of files.entries()) {
        if (file.epoch !== epoch + i)
            return { segments, damage: `segment ${epoch + i} of the log is missing` };
        // The next segment knows where this one ends. The write of a record after that end failed, so it was never confirmed.
        const end = files[i + 1]?.records[0]?.before ?? file.end;
        const records = file.records.filter((record) => record.end <= end);
        segments.push({ epoch: file.epoch, records });
        if (file.isDamaged || file.end < end)
            return { segments, damage: `${file.name} is damaged at byte ${file.end}` };
    }
    return { segments, damage: undefined };
}
//# sourceMappingURL=read-log.js.map