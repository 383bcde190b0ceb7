import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_FILES } from "../file-names.js";
import { type LogRecord, PAGE_BYTES, readRecord } from "./log-record.js";
import type { LogState } from "./log-state.js";

/** Records of one segment that are not in the data file. */
export interface UnappliedSegment {
  readonly epoch: number;
  readonly records: readonly LogRecord[];
}

/** What the log of a folder has in addition to the data file. */
export interface UnappliedLog {
  /** In the order in which they must be applied. */
  readonly segments: readonly UnappliedSegment[];
  /** Why confirmed changes are missing; undefined if none is. */
  readonly damage: string | undefined;
}

/**
 * Reads the changes of a folder's log that are not in its data file.
 *
 * A record that was being written at a crash is incomplete. It was never confirmed and does not count. Since a record is written only
 * once the one before it is on disk, a record that has a successor is complete: if it is not, the file is damaged.
 */
export function readUnapplied(directory: string, state: LogState | undefined): UnappliedLog {
  let damage: string | undefined;
  const segments: UnappliedSegment[] = [];
  for (const name of LOG_FILES) {
    if (!existsSync(join(directory, name))) continue;
    const bytes = readFileSync(join(directory, name));
    const isOther = (record: LogRecord) => !state?.log.equals(record.log);
    const isUnapplied = (record: LogRecord) => record.epoch > (state?.applied ?? 0);
    const records = readSegment(bytes);
    const [first] = records;
    if (first && isOther(first)) {
      damage ??= `${name} belongs to another data file`;
      continue;
    }
    const after = records.at(-1)?.end ?? 0;
    for (let at = after; at < bytes.length; at += PAGE_BYTES) {
      const record = readRecord(bytes, at);
      if (record && !isOther(record) && isUnapplied(record)) damage ??= `${name} is damaged at byte ${after}`;
    }
    if (first && isUnapplied(first)) segments.push({ epoch: first.epoch, records });
  }
  segments.sort((a, b) => a.epoch - b.epoch);
  let expected = (state?.applied ?? 0) + 1;
  for (const { epoch } of segments) {
    if (epoch !== expected) damage ??= `segment ${expected} of the log is missing`;
    expected = epoch + 1;
  }
  return { segments, damage };
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
