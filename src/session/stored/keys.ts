/** Size of a session's number. Sessions are numbered in the order in which they start. */
const NUMBER_BYTES = 6;
const INDEX_BYTES = 4;

/**
 * The kinds of records of a session. A record's key has its kind as a number, so the order must not change.
 *
 * - `interaction`: the data that a call added. Written once.
 * - `outcome`: the reward of an interaction, and whether it was answered and repeated. Written again when it changes.
 * - `response`: the fields of a stored response (Responses API) that its interaction does not have.
 * - `channels`: items of channels that were added after the call, such as the scores of teachers. Written again when more are added.
 * - `images`: the files of images that no earlier interaction of the session had. Written once, with the interaction.
 */
export const RECORD_KINDS = ["interaction", "outcome", "response", "channels", "images"] as const;

export type RecordKind = (typeof RECORD_KINDS)[number];

/** Returns the key of a session. The keys of its records begin with it. Keys sort by the session's number. */
export function sessionKey(number: number): Buffer {
  const key = Buffer.alloc(NUMBER_BYTES);
  key.writeUIntBE(number, 0, NUMBER_BYTES);
  return key;
}

export function readSessionKey(key: Buffer): number {
  // Damaged keys may be short. They count as those of a session that does not exist.
  if (key.length < NUMBER_BYTES) return -1;
  return key.readUIntBE(0, NUMBER_BYTES);
}

/** Returns the key of a record. Within a session, keys sort by kind, then by index. */
export function recordKey(number: number, kind: RecordKind, index: number): Buffer {
  const key = Buffer.alloc(NUMBER_BYTES + 1 + INDEX_BYTES);
  key.writeUIntBE(number, 0, NUMBER_BYTES);
  key.writeUInt8(RECORD_KINDS.indexOf(kind), NUMBER_BYTES);
  key.writeUInt32BE(index, NUMBER_BYTES + 1);
  return key;
}

/** The part of a record's key after the session's number. */
export interface RecordName {
  readonly kind: RecordKind;
  readonly index: number;
}

export function readRecordKey(key: Buffer): RecordName {
  const kind = RECORD_KINDS[key.readUInt8(NUMBER_BYTES)];
  if (!kind)
    throw new Error(`the kind of record must be below ${RECORD_KINDS.length}; received ${key.readUInt8(NUMBER_BYTES)}`);
  return { kind, index: key.readUInt32BE(NUMBER_BYTES + 1) };
}
