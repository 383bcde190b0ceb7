import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { native } from "../../native/addon.js";
import { indexName, segmentName } from "../file-names.js";
import { ChangeList } from "./change-list.js";
import { writeFileSynced } from "./manifest.js";
import {
  beginsRecord,
  canBeIncomplete,
  type LogRecord,
  listChanges,
  PAGE_BYTES,
  readRecord,
  type SegmentId,
} from "./record.js";

/**
 * The index of a complete segment is a file with its changes. A start reads it instead of the segment. It is a {@link ChangeList} after a
 * header, whose numbers are little-endian.
 *
 * | bytes | field | content |
 * |---|---|---|
 * | 4 | magic | `RTIX` |
 * | 4 | checksum | CRC-32C of everything after it |
 * | 8 | log | id of the log |
 * | 8 | segment | number of the segment |
 * | 8 | end | where its records end |
 */
const MAGIC = 0x58495452;
const HEADER_BYTES = 32;
const CHECKED_FROM = 8;

/** The changes of a segment. */
export interface SegmentContent {
  readonly changes: ChangeList;
  /** Where its records end. */
  readonly end: number;
  /** The last record, whose write may not have been confirmed; undefined if the segment is complete or has none. */
  readonly last: { readonly at: number; readonly changes: ChangeList } | undefined;
  /** True if the segment has an index, which was read instead of it. */
  readonly isListed: boolean;
  /** Number of records that were read because the segment has no index. */
  readonly scanned: number;
  /** Size of the incomplete record after the last complete one, in bytes. */
  readonly incomplete: number;
  /** Why confirmed changes are missing. */
  readonly damage: readonly string[];
}

/** Writes the index of a segment. */
export async function writeIndex(
  directory: string,
  { log, segment }: SegmentId,
  { changes, end }: { readonly changes: ChangeList; readonly end: number },
  synced: boolean,
): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.set(log, 8);
  header.writeBigUInt64LE(BigInt(segment), 16);
  header.writeBigUInt64LE(BigInt(end), 24);
  const list = changes.toBytes();
  header.writeUInt32LE(native.crc32c(list, native.crc32c(header.subarray(CHECKED_FROM))), 4);
  await writeFileSynced(join(directory, indexName(segment)), [header, list], synced);
}

/** Reads the index of a segment; undefined if there is no intact one. */
export function readIndex(directory: string, { log, segment }: SegmentId): SegmentContent | undefined {
  const bytes = readIfExists(join(directory, indexName(segment)));
  if (!bytes || bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC) return undefined;
  const isIntact = native.crc32c(bytes.subarray(CHECKED_FROM)) === bytes.readUInt32LE(4);
  const isOfSegment = log.equals(bytes.subarray(8, 16)) && bytes.readBigUInt64LE(16) === BigInt(segment);
  if (!isIntact || !isOfSegment) return undefined;
  const end = Number(bytes.readBigUInt64LE(24));
  const changes = new ChangeList(bytes.subarray(HEADER_BYTES));
  const damage = findMissing(directory, segmentName(segment), end);
  return { ...NOTHING, changes, end, isListed: true, damage: damage === undefined ? [] : [damage] };
}

const NOTHING = { end: 0, last: undefined, isListed: false, scanned: 0, incomplete: 0 } as const;

/** Returns the damage if a segment is missing or shorter than its index says. */
function findMissing(directory: string, name: string, end: number): string | undefined {
  const size = statSync(join(directory, name), { throwIfNoEntry: false })?.size;
  if (size === undefined) return `${name} is missing`;
  return size < end ? `${name} was truncated: it has ${size} of ${end} bytes` : undefined;
}

/**
 * Reads the records of a segment.
 *
 * A record that was being written at a crash may be incomplete. It was never confirmed and does not count. A record is written only once the
 * one before it is on disk. So if a complete record follows an incomplete one, the segment is damaged.
 *
 * @param bytes content of its file
 * @param end where the confirmed records end, if that is known
 */
export function scanSegment(bytes: Buffer, id: SegmentId, end?: number): SegmentContent {
  const name = segmentName(id.segment);
  const limit = end ?? bytes.length;
  const damage: string[] = [];
  const records: LogRecord[] = [];
  let at = 0;
  while (at < limit) {
    const record = readRecord(bytes, at, id);
    const isNext = record?.number === (records.at(-1)?.number ?? -1) + 1;
    const next = isNext ? record : findRecord(bytes, at, limit, id);
    if (!next || next.end > limit) break;
    if (!isNext) damage.push(`${name} is damaged at byte ${at}`);
    records.push(next);
    at = next.end;
  }
  const isCut = end === undefined ? !canBeIncomplete(bytes, at, id) : at < end;
  if (isCut) damage.push(`${name} is damaged at byte ${at}`);
  // If it is not known where the records end, the last one may not have been confirmed.
  const last = end === undefined ? records.at(-1) : undefined;
  return {
    changes: listAll(bytes, last ? records.slice(0, -1) : records),
    end: at,
    last: last && { at: last.at, changes: listAll(bytes, [last]) },
    isListed: false,
    scanned: records.length,
    incomplete: end === undefined ? countIncomplete(bytes, at) : 0,
    damage,
  };
}

/** Reads the records of a segment from its file; see {@link scanSegment}. */
export function scanFile(directory: string, id: SegmentId, end?: number): SegmentContent {
  const name = segmentName(id.segment);
  const bytes = readIfExists(join(directory, name));
  return bytes
    ? scanSegment(bytes, id, end)
    : { ...NOTHING, changes: new ChangeList(), damage: [`${name} is missing`] };
}

/** Returns the id of the log in the first bytes of a segment; undefined if they are not the start of a record. */
export function readLogId(path: string): Buffer | undefined {
  const bytes = readIfExists(path);
  return bytes && bytes.length >= PAGE_BYTES && beginsRecord(bytes, 0) ? Buffer.from(bytes.subarray(8, 16)) : undefined;
}

/** Returns where the records of the previous segment end, from the first record of a segment; undefined if it has none. */
export function readBefore(directory: string, id: SegmentId): number | undefined {
  const bytes = readIfExists(join(directory, segmentName(id.segment)));
  const record = bytes && readRecord(bytes, 0, id);
  return record?.number === 0 ? record.before : undefined;
}

/** Returns the first complete record after `at`. */
function findRecord(bytes: Buffer, at: number, limit: number, id: SegmentId): LogRecord | undefined {
  for (let next = at + PAGE_BYTES; next < limit; next += PAGE_BYTES) {
    const record = readRecord(bytes, next, id);
    if (record) return record;
  }
  return undefined;
}

function listAll(bytes: Buffer, records: readonly LogRecord[]): ChangeList {
  const list = new ChangeList();
  for (const record of records) {
    for (const { table, keyAt, keyLength, at, valueLength } of listChanges(bytes, record)) {
      list.add(table, bytes.subarray(keyAt, keyAt + keyLength), at, valueLength);
    }
  }
  return list;
}

/** Returns the number of bytes from `from` to the last one that is not zero. */
function countIncomplete(bytes: Buffer, from: number): number {
  const last = bytes.subarray(from).findLastIndex((byte) => byte !== 0);
  return last + 1;
}

function readIfExists(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
