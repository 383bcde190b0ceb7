/** Size of a session's number. Sessions are numbered in the order in which they start. */
const NUMBER_BYTES = 6;
const INDEX_BYTES = 4;
/**
 * The kinds of records of a session. A record's key has its kind as a number, so the order must not change.
 *
 * - `interaction`: the data that a call added. Written once.
 * - `outcome`: the reward of an interaction, and whether it was answered and repeated. Written again when it changes.
 * - `response`: the fields of a stored response (Responses API) that its interaction does not have.
 */
export const RECORD_KINDS = ["interaction", "outcome", "response"];
/** Returns the key of a session. The keys of its records begin with it. Keys sort by the session's number. */
export function sessionKey(number) {
    const key = Buffer.alloc(NUMBER_BYTES);
    key.writeUIntBE(number, 0, NUMBER_BYTES);
    return key;
}
export function readSessionKey(key) {
    // Damaged keys may be short. They count as those of a session that does not exist.
    if (key.length < NUMBER_BYTES)
        return -1;
    return key.readUIntBE(0, NUMBER_BYTES);
}
/** Returns the key of a record. Within a session, keys sort by kind, then by index. */
export function recordKey(number, kind, index) {
    const key = Buffer.alloc(NUMBER_BYTES + 1 + INDEX_BYTES);
    key.writeUIntBE(number, 0, NUMBER_BYTES);
    key.writeUInt8(RECORD_KINDS.indexOf(kind), NUMBER_BYTES);
    key.writeUInt32BE(index, NUMBER_BYTES + 1);
    return key;
}
export function readRecordKey(key) {
    const kind = RECORD_KINDS[key.readUInt8(NUMBER_BYTES)];
    if (!kind)
        throw new Error(`the kind of record must be below ${RECORD_KINDS.length}; received ${key.readUInt8(NUMBER_BYTES)}`);
    return { kind, index: key.readUInt32BE(NUMBER_BYTES + 1) };
}
//# sourceMappingURL=keys.js.map