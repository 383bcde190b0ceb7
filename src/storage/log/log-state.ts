import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Change } from "../changes.js";
import { LOG_ID_BYTES } from "./log-record.js";

/** The state of the log. It is stored in the data file, and each commit that applies a segment changes it. */
export interface LogState {
  /** A random id, which is also in each record. No agent knows it, so no message can look like a record of this log. */
  readonly log: Buffer;
  /** The last segment whose changes are in the data file. */
  readonly applied: number;
}

/** Read access to a data file. */
export interface LogStateReader {
  get(table: "log", key: Uint8Array): Buffer | undefined;
}

const KEY = Buffer.from("applied");
const CHECKED_BYTES = LOG_ID_BYTES + 8;

export function newLogState(): LogState {
  return { log: randomBytes(LOG_ID_BYTES), applied: 0 };
}

/** The change that removes the state. */
export const NO_LOG_STATE: Change = { table: "log", key: KEY, value: undefined };

/** Returns the change that stores the state. */
export function storeLogState({ log, applied }: LogState): Change {
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
export function readLogState(storage: LogStateReader): LogState | undefined {
  const value = storage.get("log", KEY);
  if (!value) return undefined;
  const isIntact =
    value.length === CHECKED_BYTES + 4 && crc32(value.subarray(0, CHECKED_BYTES)) === value.readUInt32LE(CHECKED_BYTES);
  if (!isIntact) throw new Error("the state of the log is damaged");
  return {
    log: Buffer.from(value.subarray(0, LOG_ID_BYTES)),
    applied: Number(value.readBigUInt64LE(LOG_ID_BYTES)),
  };
}
