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
  /**
   * True: both files of the log exist and may have changes that the data file lacks. False: the data file has every change, and the
   * files can be in any state. Undefined: an earlier version wrote the state, without this field.
   */
  readonly isOpen: boolean | undefined;
}

/** A state as this version stores it. */
export type StoredLogState = LogState & { readonly isOpen: boolean };

/** Read access to a data file. */
export interface LogStateReader {
  get(table: "log", key: Uint8Array): Buffer | undefined;
}

/** A later version wrote the state, so this one cannot read the log. */
export class LaterLogError extends Error {
  override readonly name = "LaterLogError";
}

const KEY = Buffer.from("applied");
const OPEN_AT = LOG_ID_BYTES + 8;
const CHECKSUM_BYTES = 4;
/** Size of a state without `isOpen`. */
const EARLIER_BYTES = OPEN_AT + CHECKSUM_BYTES;
const STATE_BYTES = OPEN_AT + 4 + CHECKSUM_BYTES;

export function newLogState(): StoredLogState {
  return { log: randomBytes(LOG_ID_BYTES), applied: 0, isOpen: false };
}

/** The change that removes the state. */
export const NO_LOG_STATE: Change = { table: "log", key: KEY, value: undefined };

/** Returns the change that stores the state. */
export function storeLogState({ log, applied, isOpen }: StoredLogState): Change {
  const value = Buffer.alloc(STATE_BYTES);
  value.set(log);
  value.writeBigUInt64LE(BigInt(applied), LOG_ID_BYTES);
  value.writeUInt32LE(isOpen ? 1 : 0, OPEN_AT);
  value.writeUInt32LE(crc32(value.subarray(0, -CHECKSUM_BYTES)), STATE_BYTES - CHECKSUM_BYTES);
  return { table: "log", key: KEY, value };
}

/**
 * Reads the state from a data file; undefined if it never had a log.
 *
 * @throws Error if it is damaged, LaterLogError if a later version wrote it
 */
export function readLogState(storage: LogStateReader): LogState | undefined {
  const value = storage.get("log", KEY);
  if (!value) return undefined;
  const end = value.length - CHECKSUM_BYTES;
  const isIntact = value.length >= EARLIER_BYTES && crc32(value.subarray(0, end)) === value.readUInt32LE(end);
  if (!isIntact) throw new Error("the state of the log is damaged");
  if (value.length > STATE_BYTES) throw new LaterLogError();
  return {
    log: Buffer.from(value.subarray(0, LOG_ID_BYTES)),
    applied: Number(value.readBigUInt64LE(LOG_ID_BYTES)),
    isOpen: value.length === EARLIER_BYTES ? undefined : value.readUInt32LE(OPEN_AT) === 1,
  };
}
