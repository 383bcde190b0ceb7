export function rangeOfPrefix(prefix) {
    if (prefix.length === 0)
        return { from: undefined, to: undefined };
    return { from: asBuffer(prefix), to: endOfPrefix(prefix) };
}
/** Returns the bytes as a Buffer, without a copy. */
export function asBuffer(bytes) {
    return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
/** Returns the first key after all keys that begin with `prefix`; undefined if there is none. */
function endOfPrefix(prefix) {
    const last = prefix.findLastIndex((byte) => byte !== 0xff);
    if (last < 0)
        return undefined;
    const end = Buffer.from(prefix.subarray(0, last + 1));
    end[last] = (end[last] ?? 0) + 1;
    return end;
}
//# sourceMappingURL=prefix-range.js.map