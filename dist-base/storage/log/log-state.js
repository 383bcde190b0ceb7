import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { LOG_ID_BYTES } from "./log-record.js";
const KEY = Buffer.from("applied");
const CHECKED_BYTES = LOG_ID_BYTES + 8;
export function newLogState() {
    return { log: randomBytes(LOG_ID_BYTES), applied: 0 };
}
/** The change that removes the state. */
export const NO_LOG_STATE = { table: "log", key: KEY, value: undefined };
/** Returns the change that stores the state. */
export function storeLogState({ log, applied }) {
    const value = Buffer.alloc(CHECKED_BYTES + 4);
    value.set(log);
    value.writeBigUInt64LE(BigInt(applied), LOG_ID_BYTES);
    value.writeUInt32LE(crc32(value.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
    return { table: "log", key: KEY, value };
}
/**
 * Reads the state from a data file; undefined if it never had a log.
 *
 * @throws Error if it is damaged
 */
export function readLogState(storage) {
    const value = storage.get("log", KEY);
    if (!value)
        return undefined;
    const isIntact = value.length === CHECKED_BYTES + 4 && crc32(value.subarray(0, CHECKED_BYTES)) === value.readUInt32LE(CHECKED_BYTES);
    if (!isIntact)
        throw new Error("the state of the log is damaged");
    return {
        log: Buffer.from(value.subarray(0, LOG_ID_BYTES)),
        applied: Number(value.readBigUInt64LE(LOG_ID_BYTES)),
    };
}
//# sourceMappingURL=log-state.js.map