import { chmodSync, truncateSync } from "node:fs";
import { native } from "../../native/addon.js";
import { alignUp, measureRecord, writeRecord } from "./log-record.js";
/** The file grows in steps of this size, because a write that grows a file takes longer than one that overwrites it. */
const GROWTH_BYTES = 2 ** 18;
/** Maximum size of a file that is kept for the next segment. */
const KEPT_BYTES = 2 ** 24;
/** Maximum size of the buffer that is kept for the next record. */
const KEPT_BUFFER_BYTES = 2 ** 22;
/** A file of the log, which has the records of one segment at a time. Once they are in the data file, another segment overwrites them. */
export class LogSegment {
    path;
    #file;
    #log;
    #epoch = 0;
    #before;
    #records = 0;
    #changes = 0;
    /** Where the next record begins. */
    #end = 0;
    #fileBytes = 0;
    #buffer = Buffer.alloc(GROWTH_BYTES);
    /** @param log id of the log */
    constructor(path, log) {
        this.path = path;
        this.#log = log;
        this.#file = new native.SyncedFile(path);
        // An existing file may be a copy that others can read.
        chmodSync(path, 0o600);
        truncateSync(path);
    }
    get epoch() {
        return this.#epoch;
    }
    /** Size of its records in bytes. */
    get bytes() {
        return this.#end;
    }
    /** Number of changes in its records. */
    get changes() {
        return this.#changes;
    }
    /**
     * Begins another segment. The records so far must be in the data file.
     *
     * @param before the previous segment. Its size is read later, because its last record may still be written now
     */
    begin(epoch, before) {
        this.#epoch = epoch;
        this.#before = before;
        this.#records = 0;
        this.#changes = 0;
        this.#end = 0;
        if (this.#fileBytes > KEPT_BYTES)
            this.#shrink();
    }
    /** Writes a record. Resolves when it is on disk. If this rejects, the next record takes its place. */
    async append(changes) {
        const end = this.#end + measureRecord(changes);
        const fileBytes = Math.max(this.#fileBytes, alignUp(end, GROWTH_BYTES));
        // If the file grows, the same write fills the new space with zeros, so that later records only overwrite it.
        const size = (end > this.#fileBytes ? fileBytes : end) - this.#end;
        const buffer = this.#takeBuffer(size);
        writeRecord(buffer, this.#nextPlace(), changes);
        await this.#file.write(buffer, this.#end);
        this.#fileBytes = fileBytes;
        this.#records++;
        this.#changes += changes.length;
        this.#end = end;
    }
    release() {
        this.#file.release();
    }
    #nextPlace() {
        return { log: this.#log, epoch: this.#epoch, before: this.#before?.bytes ?? 0, number: this.#records };
    }
    #shrink() {
        try {
            truncateSync(this.path);
            this.#fileBytes = 0;
        }
        catch {
            // The file keeps its size, and the next records overwrite its start.
        }
    }
    #takeBuffer(size) {
        if (size > KEPT_BUFFER_BYTES)
            return Buffer.alloc(size);
        if (size > this.#buffer.length)
            this.#buffer = Buffer.alloc(alignUp(size, GROWTH_BYTES));
        return this.#buffer.subarray(0, size);
    }
}
//# sourceMappingURL=log-segment.js.map