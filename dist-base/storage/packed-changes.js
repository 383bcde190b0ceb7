import { TABLES } from "./changes.js";
const HEADER_BYTES = 7;
const REMOVED = 0xffff_ffff;
/** Returns the number of bytes that {@link writeChanges} writes. */
export function measureChanges(changes) {
    let size = 0;
    for (const { key, value } of changes)
        size += HEADER_BYTES + key.length + (value?.length ?? 0);
    return size;
}
/**
 * Writes changes as one block of bytes. Each change is: number of the table (1 byte), length of the key (2), length of the value
 * (4; {@link REMOVED} for a removal), key, value. Numbers are big-endian.
 *
 * @param at where the block begins in `target`
 * @returns where it ends
 */
export function writeChanges(changes, target, at) {
    for (const { table, key, value } of changes) {
        target.writeUInt8(TABLES.indexOf(table), at);
        target.writeUInt16BE(key.length, at + 1);
        target.writeUInt32BE(value?.length ?? REMOVED, at + 3);
        target.set(key, at + HEADER_BYTES);
        at += HEADER_BYTES + key.length;
        if (!value)
            continue;
        target.set(value, at);
        at += value.length;
    }
    return at;
}
/** Packs changes into memory of their own, which can be transferred to another thread without a copy. */
export function packChanges(changes) {
    const packed = new Uint8Array(measureChanges(changes));
    writeChanges(changes, Buffer.from(packed.buffer), 0);
    return packed;
}
/** Reads what {@link writeChanges} wrote. Keys and values are views of the block. */
export function* unpackChanges(packed) {
    const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
    for (let at = 0; at < bytes.length;) {
        const table = TABLES[bytes.readUInt8(at)];
        if (!table)
            throw new Error("The packed changes name an unknown table.");
        const keyEnd = at + HEADER_BYTES + bytes.readUInt16BE(at + 1);
        const length = bytes.readUInt32BE(at + 3);
        const end = keyEnd + (length === REMOVED ? 0 : length);
        const value = length === REMOVED ? undefined : bytes.subarray(keyEnd, end);
        yield { table, key: bytes.subarray(at + HEADER_BYTES, keyEnd), value };
        at = end;
    }
}
//# sourceMappingURL=packed-changes.js.map