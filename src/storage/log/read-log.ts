import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_FILES } from "../file-names.js";
import { type LogRecord, PAGE_BYTES, readRecord } from "./log-record.js";
import { type LogState, type LogStateReader, readLogState } from "./log-state.js";

/** Records of one segment that are not in the data file. */
export interface UnappliedSegment {
  readonly epoch: number;
  readonly records: readonly LogRecord[];
}

/** The changes of a log that the data file does not have yet. */
export interface UnappliedLog {
  /** The state in the data file; undefined if the folder never had a log, or if it is damaged. */
  readonly state: LogState | undefined;
  /** In the order in which they must be applied. If changes are missing, only those before them. */
  readonly segments: readonly UnappliedSegment[];
  /** Epoch of the last segment, also if its changes cannot be applied; that of the data file if there is none. */
  readonly newest: number;
  /** Why confirmed changes are missing; undefined if none is. */
  readonly damage: string | undefined;
}

/**
 * Reads the changes of a folder's log that are not in its data file, from which `storage` reads.
 *
 * A record that was being written at a crash is incomplete. It was never confirmed and does not count. Since a record is written only
 * once the one before it is on disk, a record that has a successor is complete: if it is not, the file is damaged.
 */
export function readUnapplied(directory: string, storage: LogStateReader): UnappliedLog {
  const { state, damage } = tryReadState(storage);
  const applied = state?.applied ?? 0;
  const files = LOG_FILES.map((name) => readFile(directory, name, state));
  const found = files.filter(({ epoch }) => epoch > applied).sort((a, b) => a.epoch - b.epoch);
  const newest = found.at(-1)?.epoch ?? applied;
  const refuse = (reason: string) => ({ state, segments: [], newest, damage: reason });
  if (damage !== undefined) return refuse(damage);
  const foreign = files.find(({ isForeign }) => isForeign);
  if (foreign) return refuse(`${foreign.name} belongs to another data file`);
  const missing = files.find(({ exists }) => !exists);
  if (missing && found.length > 0) return refuse(`${missing.name} is missing`);
  return { state, newest, ...takeIntact(found, applied + 1) };
}

function tryReadState(storage: LogStateReader): { state?: LogState | undefined; damage?: string } {
  try {
    return { state: readLogState(storage) };
  } catch (error) {
    return { damage: (error as Error).message };
  }
}

/** Returns the segments from `epoch` on, up to the first one of which confirmed changes are missing. */
function takeIntact(files: readonly LogFile[], epoch: number): Pick<UnappliedLog, "segments" | "damage"> {
  const segments: UnappliedSegment[] = [];
  for (const [i, file] of files.entries()) {
    if (file.epoch !== epoch + i) return { segments, damage: `segment ${epoch + i} of the log is missing` };
    // A record after this end failed while the next segment began, so it was never confirmed.
    const end = files[i + 1]?.records[0]?.before ?? file.end;
    const records = file.records.filter((record) => record.end <= end);
    segments.push({ epoch: file.epoch, records });
    if (file.isDamaged || file.end < end) return { segments, damage: `${file.name} is damaged at byte ${file.end}` };
  }
  return { segments, damage: undefined };
}

/** A file of the log. */
interface LogFile {
  readonly name: string;
  readonly exists: boolean;
  /** Of its newest record; 0 if it has none. */
  readonly epoch: number;
  /** Of the newest segment: the records before the first one that is not complete. */
  readonly records: readonly LogRecord[];
  /** Where they end. */
  readonly end: number;
  /** True if a record that is not complete has a successor. */
  readonly isDamaged: boolean;
  /** True if its records are those of another log. */
  readonly isForeign: boolean;
}

function readFile(directory: string, name: string, state: LogState | undefined): LogFile {
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

/** Returns the highest epoch of the records of a log from `from` on; 0 if there is none. */
function findEpochAfter(bytes: Buffer<ArrayBuffer>, from: number, log: Buffer): number {
  let epoch = 0;
  for (let at = from; at < bytes.length; at += PAGE_BYTES) {
    epoch = Math.max(epoch, readRecord(bytes, at, log)?.epoch ?? 0);
  }
  return epoch;
}

/** Reads the records at the start of a file that belong together. */
export function readSegment(bytes: Buffer<ArrayBuffer>): LogRecord[] {
  const records: LogRecord[] = [];
  for (let at = 0; ; ) {
    const record = readRecord(bytes, at);
    const [first = record] = records;
    const follows =
      record !== undefined &&
      record.number === records.length &&
      record.epoch === first?.epoch &&
      record.log.equals(first.log);
    if (!follows) return records;
    records.push(record);
    at = record.end;
  }
}
