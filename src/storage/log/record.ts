import { native } from "../../native/addon.js";
import { type Change, TABLES, type Table } from "../changes.js";

/**
 * A record of the log: the changes of one commit, after a header. Numbers are little-endian.
 *
 * | bytes | field | content |
 * |---|---|---|
 * | 4 | magic | `RTLG` |
 * | 4 | checksum | CRC-32C of everything after it |
 * | 8 | log | id of the log |
 * | 8 | segment | number of its segment |
 * | 8 | before | where the records of the previous segment end, in bytes; 0 if there is none |
 * | 4 | number | of the record in its segment, from 0 |
 * | 4 | length | of the changes in bytes |
 * | … | changes | see {@link listChanges} |
 *
 * Records begin at multiples of {@link PAGE_BYTES}, so that a disk that fails while it writes a record cannot damage the records before it.
 * The native class `LogFile` writes them.
 */
const MAGIC = 0x474c5452;
/** Offset of the id of the log, where the checked bytes begin. */
const LOG_AT = 8;
const HEADER_BYTES = 40;
/** Size of what precedes the key of a change. */
export const CHANGE_HEADER_BYTES = 8;
/** Changes begin at multiples of it. */
export const CHANGE_UNIT = 8;
export const LOG_ID_BYTES = 8;
export const PAGE_BYTES = 4096;
const REMOVED = 0xffff_ffff;

/** The segment of a log that a record belongs to. */
export interface SegmentId {
  /** A random id. No agent knows it, so no message can look like a record of this log. */
  readonly log: Buffer;
  readonly segment: number;
}

/** Where a record is. The table at the top describes `before` and `number`. */
export interface LogRecord {
  readonly at: number;
  /** Where its successor begins. */
  readonly end: number;
  readonly before: number;
  readonly number: number;
  /** Where its changes begin, and their length. */
  readonly changesAt: number;
  readonly length: number;
}

/** Where a change is in a file. */
export interface ChangePlace {
  readonly at: number;
  readonly table: Table;
  readonly keyAt: number;
  readonly keyLength: number;
  /** Undefined: the key was removed. */
  readonly valueLength: number | undefined;
}

/** Returns the size of a change, with the zeros up to the next one. */
export function measureChange(keyLength: number, valueLength = 0): number {
  return alignUp(CHANGE_HEADER_BYTES + keyLength + valueLength, CHANGE_UNIT);
}

/** Returns the size of a record with these changes, in bytes. */
export function measureRecord(changes: readonly Change[]): number {
  return alignUp(
    changes.reduce((sum, { key, value }) => sum + measureChange(key.length, value?.length), HEADER_BYTES),
    PAGE_BYTES,
  );
}

/** Offset of the first change in a record. */
export const FIRST_CHANGE_AT = HEADER_BYTES;

/** Returns true if the bytes at `at` are the beginning of a record of any log. */
export function beginsRecord(bytes: Buffer, at: number): boolean {
  return at + HEADER_BYTES <= bytes.length && bytes.readUInt32LE(at) === MAGIC;
}

/** Returns true if a crash can have left the bytes at `at`: none, zeros, or the beginning of a record of the segment. */
export function canBeIncomplete(bytes: Buffer, at: number, id: SegmentId): boolean {
  const start = bytes.subarray(at, at + HEADER_BYTES);
  return start.every((byte) => byte === 0) || (beginsRecord(bytes, at) && isOfSegment(bytes, at, id));
}

function isOfSegment(bytes: Buffer, at: number, { log, segment }: SegmentId): boolean {
  const isOfLog = log.equals(bytes.subarray(at + LOG_AT, at + LOG_AT + LOG_ID_BYTES));
  return isOfLog && bytes.readBigUInt64LE(at + 16) === BigInt(segment);
}

/** Reads the record that begins at `at`; undefined if there is no complete one of the segment. */
export function readRecord(bytes: Buffer, at: number, id: SegmentId): LogRecord | undefined {
  const changesAt = at + HEADER_BYTES;
  // Compared before the checksum is computed, so that values which look like records take no time.
  if (!beginsRecord(bytes, at) || !isOfSegment(bytes, at, id)) return undefined;
  const length = bytes.readUInt32LE(at + 36);
  if (changesAt + length > bytes.length) return undefined;
  const checksum = native.crc32c(bytes.subarray(at + LOG_AT, changesAt + length));
  if (checksum !== bytes.readUInt32LE(at + 4)) return undefined;
  const before = Number(bytes.readBigUInt64LE(at + 24));
  const number = bytes.readUInt32LE(at + 32);
  return { at, end: alignUp(changesAt + length, PAGE_BYTES), before, number, changesAt, length };
}

/**
 * Reads the places of the changes of a record. A change is: number of the table (1 byte), zero (1), length of the key (2), length of the
 * value (4; 2^32 - 1: removed), key, value, zeros up to a multiple of {@link CHANGE_UNIT}.
 */
export function* listChanges(bytes: Buffer, { changesAt, length }: LogRecord): Generator<ChangePlace> {
  for (let at = changesAt; at < changesAt + length; ) {
    const change = readChange(bytes, at, at);
    yield change;
    at += measureChange(change.keyLength, change.valueLength);
  }
}

/**
 * Reads the header of a change.
 *
 * @param offset where it begins in `bytes`
 * @param at where it begins in its file
 */
export function readChange(bytes: Buffer, offset: number, at: number): ChangePlace {
  const table = TABLES[bytes.readUInt8(offset)];
  if (!table) throw new Error(`the change at byte ${at} names an unknown table`);
  const valueLength = bytes.readUInt32LE(offset + 4);
  return {
    at,
    table,
    keyAt: at + CHANGE_HEADER_BYTES,
    keyLength: bytes.readUInt16LE(offset + 2),
    valueLength: valueLength === REMOVED ? undefined : valueLength,
  };
}

export function alignUp(size: number, unit: number): number {
  return Math.ceil(size / unit) * unit;
}
