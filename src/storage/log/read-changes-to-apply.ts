import { closeSync, openSync, readSync } from "node:fs";
import type { Change } from "../changes.js";
import { readSegment } from "./log-file.js";
import { storeLogState } from "./log-state.js";
import { mergeChanges } from "./merge-changes.js";
import type { SegmentToApply } from "./write-ahead-log.js";

/**
 * Reads the changes that one commit must make to apply a segment: those of its records, and the new state of the log.
 *
 * @throws Error if the file does not have the records that were written
 */
export function readChangesToApply({ path, log, epoch, bytes }: SegmentToApply): Change[] {
  const records = readSegment(readStart(path, bytes));
  const [first] = records;
  const isComplete = first?.epoch === epoch && first.log.equals(log) && records.at(-1)?.end === bytes;
  if (!isComplete) throw new Error(`the file ${path} does not have the changes that were written to it`);
  return [...mergeChanges(records), storeLogState({ log, applied: epoch, isOpen: true })];
}

function readStart(path: string, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try {
    for (let read = 0; read < length; ) {
      const count = readSync(file, bytes, read, length - read, read);
      if (count === 0) break;
      read += count;
    }
  } finally {
    closeSync(file);
  }
  return bytes;
}
