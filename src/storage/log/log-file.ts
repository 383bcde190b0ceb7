import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LogRecord, PAGE_BYTES, readRecord } from "./log-record.js";
import type { LogState } from "./log-state.js";

/** The content of a file of the log, as the last process left it. */
export interface LogFile {
  readonly name: string;
  readonly exists: boolean;
  readonly size: number;
  /** Epoch of the record at its start; 0 if there is no complete one. */
  readonly firstEpoch: number;
  /** Epoch of its newest record; 0 if it has none. */
  readonly epoch: number;
  /** Records of the newest segment, up to the first one that is not complete. */
  readonly records: readonly LogRecord[];
  /** Where they end. */
  readonly end: number;
  /** True if a record that is not complete has a successor. */
  readonly isDamaged: boolean;
  /** True if its records are those of another log. */
  readonly isForeign: boolean;
}

/**
 * Reads a file of the log.
 *
 * @param state of the log in the data file; undefined if there is none
 */
export function readLogFile(directory: string, name: string, state: LogState | undefined): LogFile {
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
  return {
    name,
    exists,
    size: bytes.length,
    firstEpoch: first?.epoch ?? 0,
    epoch,
    records: isCurrent ? records : [],
    end: isCurrent ? end : 0,
    isDamaged,
    isForeign,
  };
}

/** Reads the records of one segment at the start of a file, up to the first one that is not complete. */
export function readSegment(bytes: Buffer<ArrayBuffer>): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = 0; ; ) {
    const record = readRecord(bytes, at);
    if (!record || !isNext(record, records)) return records;
    records.push(record);
    at = record.end;
  }
}

/** Returns true if a record continues the segment that has these records so far. */
function isNext(record: LogRecord, records: readonly LogRecord[]): boolean {
  const first = records[0] ?? record;
  return record.number === records.length && record.epoch === first.epoch && record.log.equals(first.log);
}

/** Returns the highest epoch of the records of a log from `from` on; 0 if there is none. */
function findEpochAfter(bytes: Buffer<ArrayBuffer>, from: number, log: Buffer): number {
  let epoch = 0;
  for (let at = from; at < bytes.length; at += PAGE_BYTES) {
    epoch = Math.max(epoch, readRecord(bytes, at, log)?.epoch ?? 0);
  }
  return epoch;
}
