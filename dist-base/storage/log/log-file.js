import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGE_BYTES, readRecord } from "./log-record.js";
/**
 * Reads a file of the log.
 *
 * @param state of the log in the data file; undefined if there is none
 */
export function readLogFile(directory, name, state) {
    const path = join(directory, name);
    const exists = existsSync(path);
    const bytes = exists ? readFileSync(path) : Buffer.alloc(0);
    const records = readSegment(bytes);
    const [first] = records;
    const isForeign = first !== undefined && state?.log.equals(first.log) !== true;
    const end = records.at(-1)?.end ?? 0;
    const later = state ? findEpochAfter(bytes, end, state.log) : 0;
    const epoch = Math.max(first?.epoch ?? 0, later);
    // Records of an older segment, which a new one has not overwritten yet, do not count.
    const isDamaged = later > (state?.applied ?? 0) && later >= (first?.epoch ?? 0);
    const isCurrent = first?.epoch === epoch;
    return { name, exists, epoch, records: isCurrent ? records : [], end: isCurrent ? end : 0, isDamaged, isForeign };
}
/** Reads the records of one segment at the start of a file, up to the first one that is not complete. */
export function readSegment(bytes) {
    const records = [];
    for (let at = 0;;) {
        const record = readRecord(bytes, at);
        if (!record || !isNext(record, records))
            return records;
        records.push(record);
        at = record.end;
    }
}
/** Returns true if a record continues the segment that has these records so far. */
function isNext(record, records) {
    const first = records[0] ?? record;
    return record.number === records.length && record.epoch === first.epoch && record.log.equals(first.log);
}
/** Returns the highest epoch of the records of a log from `from` on; 0 if there is none. */
function findEpochAfter(bytes, from, log) {
    let epoch = 0;
    for (let at = from; at < bytes.length; at += PAGE_BYTES) {
        epoch = Math.max(epoch, readRecord(bytes, at, log)?.epoch ?? 0);
    }
    return epoch;
}
//# sourceMappingURL=log-file.js.map