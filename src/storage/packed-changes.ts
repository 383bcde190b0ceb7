import { type Change, TABLES } from "./changes.js";

const HEADER_BYTES = 7;
const REMOVED = 0xffff_ffff;

/**
 * Packs changes into one block of memory, which is transferred to another thread without a copy. Each change is: number of the
 * table (1 byte), length of the key (2), length of the value (4; {@link REMOVED} for a removal), key, value.
 */
export function packChanges(changes: readonly Change[]): Uint8Array<ArrayBuffer> {
  const size = changes.reduce((sum, { key, value }) => sum + HEADER_BYTES + key.length + (value?.length ?? 0), 0);
  const packed = new Uint8Array(size);
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const { table, key, value } of changes) {
    view.setUint8(at, TABLES.indexOf(table));
    view.setUint16(at + 1, key.length);
    view.setUint32(at + 3, value?.length ?? REMOVED);
    packed.set(key, at + HEADER_BYTES);
    at += HEADER_BYTES + key.length;
    if (!value) continue;
    packed.set(value, at);
    at += value.length;
  }
  return packed;
}

/** Reads what {@link packChanges} packed. Keys and values are views of the block. */
export function* unpackChanges(packed: Uint8Array<ArrayBuffer>): Generator<Change> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const table = TABLES[bytes.readUInt8(at)];
    if (!table) throw new Error("The packed changes name an unknown table.");
    const keyEnd = at + HEADER_BYTES + bytes.readUInt16BE(at + 1);
    const length = bytes.readUInt32BE(at + 3);
    const end = keyEnd + (length === REMOVED ? 0 : length);
    const value = length === REMOVED ? undefined : bytes.subarray(keyEnd, end);
    yield { table, key: bytes.subarray(at + HEADER_BYTES, keyEnd), value };
    at = end;
  }
}
