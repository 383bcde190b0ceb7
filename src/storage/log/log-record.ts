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
 * | 8 | before | size of the records of the segment before, in bytes |
 * | 4 | number | of the record in its segment, from 0 |
 * | 4 | length | of the changes in bytes |
 * | … | changes | see {@link writeChanges} |
 *
 * Records begin at multiples of {@link PAGE_BYTES}. A disk that fails while it writes a record therefore cannot damage the records
 * before it.
 */
const MAGIC = 0x474c5452;
/** Offset of the id of the log, where the checked bytes begin. */
const LOG_AT = 8;
const HEADER_BYTES = 40;
export const LOG_ID_BYTES = 8;
export const PAGE_BYTES = 4096;
/**
 * A file of the log grows in steps of this size, because a write that grows a file takes longer than one that overwrites it. While the
 * log is open, its files have at least this size, so a start would refuse open logs of a version with a smaller one.
 */
export const GROWTH_BYTES = 2 ** 18;

/** The log, the segment and the position of a record. The table above describes the fields. */
export interface RecordPlace {
  readonly log: Buffer;
  readonly epoch: number;
  readonly before: number;
  readonly number: number;
}

/** A record that was read. */
export interface LogRecord extends RecordPlace {
  readonly changes: Uint8Array<ArrayBuffer>;
  /** Where it ends in the file, and its successor begins. */
  readonly end: number;
}

/** Returns the size of a record with these changes, in bytes. It is a multiple of {@link PAGE_BYTES}. */
export function measureRecord(changes: readonly Change[]): number {
  return alignUp(HEADER_BYTES + measureChanges(changes), PAGE_BYTES);
}

/** Writes a record to the start of `target`. Everything after it in `target` becomes zero. */
export function writeRecord(target: Buffer, place: RecordPlace, changes: readonly Change[]): void {
  const end = writeChanges(changes, target, HEADER_BYTES);
  target.fill(0, end);
  target.writeUInt32LE(MAGIC, 0);
  target.set(place.log, LOG_AT);
  target.writeBigUInt64LE(BigInt(place.epoch), 16);
  target.writeBigUInt64LE(BigInt(place.before), 24);
  target.writeUInt32LE(place.number, 32);
  target.writeUInt32LE(end - HEADER_BYTES, 36);
  target.writeUInt32LE(crc32(target.subarray(LOG_AT, end)), 4);
}

/**
 * Reads the record that begins at `at`; undefined if there is no complete one.
 *
 * @param log id of a log: records of other logs are ignored. Undefined: reads the record of any log
 */
export function readRecord(bytes: Buffer<ArrayBuffer>, at: number, log?: Buffer): LogRecord | undefined {
  if (at + HEADER_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return undefined;
  const id = bytes.subarray(at + LOG_AT, at + LOG_AT + LOG_ID_BYTES);
  // Compared before the checksum is computed, so that values which look like records take no time.
  if (log && !log.equals(id)) return undefined;
  const length = bytes.readUInt32LE(at + 36);
  const begin = at + HEADER_BYTES;
  if (begin + length > bytes.length) return undefined;
  if (crc32(bytes.subarray(at + LOG_AT, begin + length)) !== bytes.readUInt32LE(at + 4)) return undefined;
  return {
    log: id,
    epoch: Number(bytes.readBigUInt64LE(at + 16)),
    before: Number(bytes.readBigUInt64LE(at + 24)),
    number: bytes.readUInt32LE(at + 32),
    changes: bytes.subarray(begin, begin + length),
    end: alignUp(begin + length, PAGE_BYTES),
  };
}

export function alignUp(size: number, unit: number): number {
  return Math.ceil(size / unit) * unit;
}
