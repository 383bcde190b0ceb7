import { crc32 } from "node:zlib";
import type { Change } from "../changes.js";
import { measureChanges, writeChanges } from "../packed-changes.js";

/**
 * A record of the write-ahead log: the changes of one commit, after a header with little-endian numbers.
 *
 * | bytes | field | content |
 * |---|---|---|
 * | 4 | magic | `RTLG` |
 * | 4 | checksum | CRC-32 of everything after it |
 * | 8 | log | id of the log |
 * | 8 | epoch | of the segment |
 * | 4 | number | of the record in its segment, from 0 |
 * | 4 | length | of the changes in bytes |
 * | … | changes | see {@link writeChanges} |
 *
 * Records begin at multiples of {@link PAGE_BYTES}. A disk that fails while it writes a record therefore cannot damage the records
 * before it.
 */
const MAGIC = 0x474c5452;
const CHECKED_FROM = 8;
const HEADER_BYTES = 32;
export const LOG_ID_BYTES = 8;
export const PAGE_BYTES = 4096;

/** Identifies a record. */
export interface RecordPlace {
  readonly log: Buffer;
  readonly epoch: number;
  readonly number: number;
}

/** A record that was read, and where it ends. */
export interface LogRecord extends RecordPlace {
  readonly changes: Uint8Array<ArrayBuffer>;
  readonly end: number;
}

/** Returns the size of a record with these changes, in bytes. It is a multiple of {@link PAGE_BYTES}. */
export function measureRecord(changes: readonly Change[]): number {
  return alignUp(HEADER_BYTES + measureChanges(changes), PAGE_BYTES);
}

/** Writes a record to the start of `target`. Everything after it in `target` becomes zero. */
export function writeRecord(target: Buffer, { log, epoch, number }: RecordPlace, changes: readonly Change[]): void {
  const length = measureChanges(changes);
  target.writeUInt32LE(MAGIC, 0);
  target.set(log, 8);
  target.writeBigUInt64LE(BigInt(epoch), 16);
  target.writeUInt32LE(number, 24);
  target.writeUInt32LE(length, 28);
  writeChanges(changes, target, HEADER_BYTES);
  target.fill(0, HEADER_BYTES + length);
  target.writeUInt32LE(crc32(target.subarray(CHECKED_FROM, HEADER_BYTES + length)), 4);
}

/** Reads the record that begins at `at`; undefined if there is no complete one. */
export function readRecord(bytes: Buffer<ArrayBuffer>, at: number): LogRecord | undefined {
  if (at + HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return undefined;
  const length = bytes.readUInt32LE(at + 28);
  const begin = at + HEADER_BYTES;
  if (begin + length > bytes.length) return undefined;
  if (crc32(bytes.subarray(at + CHECKED_FROM, begin + length)) !== bytes.readUInt32LE(at + 4)) return undefined;
  return {
    log: bytes.subarray(at + 8, at + 8 + LOG_ID_BYTES),
    epoch: Number(bytes.readBigUInt64LE(at + 16)),
    number: bytes.readUInt32LE(at + 24),
    changes: bytes.subarray(begin, begin + length),
    end: alignUp(begin + length, PAGE_BYTES),
  };
}

export function alignUp(size: number, unit: number): number {
  return Math.ceil(size / unit) * unit;
}
