/**
 * Tables of the storage. A change names its table by position, so the order must not change.
 *
 * Keys of `sessions` are the number of a session (6 bytes, big-endian). Keys of `records` are that number, a kind of record (1 byte) and
 * an index (4 bytes). The index in memory relies on this form. Keys of the other tables are any bytes.
 */
export const TABLES = ["meta", "sessions", "records", "leases"] as const;

export type Table = (typeof TABLES)[number];

/** One write: sets the value of a key, or removes the key if the value is undefined. */
export interface Change {
  readonly table: Table;
  readonly key: Uint8Array;
  /** Must not be modified after it was given to the storage. */
  readonly value: Uint8Array | undefined;
}

/** A key of a table and its value. */
export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export const NUMBER_BYTES = 6;
export const RECORD_KEY_BYTES = NUMBER_BYTES + 5;
/** Number of the kinds of records that a session can have. */
export const MAX_KINDS = 8;
/** The index of a record must be below it, because memory has a place for every index up to the highest one of a session. */
export const MAX_INDEX = 2 ** 24;
const MAX_KEY_BYTES = 2 ** 11;

/** @throws RangeError if a table cannot have a key */
export function requireKey(table: Table, key: Uint8Array): void {
  const problem = findKeyProblem(table, key);
  if (problem !== undefined) throw new RangeError(`A key of the table ${table} ${problem}.`);
}

function findKeyProblem(table: Table, key: Uint8Array): string | undefined {
  const { length } = key;
  const fixed = table === "sessions" ? NUMBER_BYTES : table === "records" ? RECORD_KEY_BYTES : undefined;
  if (fixed !== undefined && length !== fixed) return `must have ${fixed} bytes; received ${length}`;
  if (length < 1 || length > MAX_KEY_BYTES) return `must have 1 to ${MAX_KEY_BYTES} bytes; received ${length}`;
  if (table !== "records") return undefined;
  const [kind, index] = [kindOf(asBuffer(key)), indexOf(asBuffer(key))];
  if (kind >= MAX_KINDS) return `must name a kind below ${MAX_KINDS}; received ${kind}`;
  return index < MAX_INDEX ? undefined : `must have an index below ${MAX_INDEX}; received ${index}`;
}

/** Returns the kind in the key of a record. */
export const kindOf = (key: Buffer): number => key.readUInt8(NUMBER_BYTES);
/** Returns the index in the key of a record. */
export const indexOf = (key: Buffer): number => key.readUInt32BE(NUMBER_BYTES + 1);

/** Returns the bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
