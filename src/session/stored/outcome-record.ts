import { crc32 } from "node:zlib";

/** The facts about an interaction that can change after it was recorded. */
export interface Outcome {
  readonly reward: number | undefined;
  /** True if the client received the answer, as far as the server knows. */
  readonly answered: boolean;
  /** Index of the interaction of a retry of the same request; undefined if no retry was recorded. */
  readonly repeatedBy: number | undefined;
  /** True if a later request named the interaction, so that its client has the answer. */
  readonly referenced: boolean;
}

/** The outcome of an interaction without an outcome record. */
export const NO_OUTCOME: Outcome = { reward: undefined, answered: false, repeatedBy: undefined, referenced: false };

// Flags.
const ANSWERED = 1;
const REWARDED = 2;
const REPEATED = 4;
const REFERENCED = 8;
/** Size of the fields before the checksum. */
const CHECKED_BYTES = 13;
const CHECKSUM_BYTES = 4;
export const OUTCOME_BYTES = CHECKED_BYTES + CHECKSUM_BYTES;

/** Returns the bytes of an outcome: flags (1), reward as float64 (8), index of the retry (4), CRC-32 (4). */
export function encodeOutcome({ reward, answered, repeatedBy, referenced }: Outcome): Buffer {
  const bytes = Buffer.alloc(OUTCOME_BYTES);
  const isRewarded = reward !== undefined;
  const isRepeated = repeatedBy !== undefined;
  const answerFlags = (answered ? ANSWERED : 0) | (referenced ? REFERENCED : 0);
  bytes.writeUInt8(answerFlags | (isRewarded ? REWARDED : 0) | (isRepeated ? REPEATED : 0));
  bytes.writeDoubleLE(reward ?? 0, 1);
  bytes.writeUInt32LE(repeatedBy ?? 0, 9);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
  return bytes;
}

/** Throws if the bytes are damaged. */
export function decodeOutcome(bytes: Buffer): Outcome {
  const isWhole = bytes.length === OUTCOME_BYTES;
  if (!isWhole || bytes.readUInt32LE(CHECKED_BYTES) !== crc32(bytes.subarray(0, CHECKED_BYTES))) {
    throw new Error("its checksum is wrong");
  }
  const flags = bytes.readUInt8();
  return {
    answered: (flags & ANSWERED) !== 0,
    reward: (flags & REWARDED) === 0 ? undefined : bytes.readDoubleLE(1),
    repeatedBy: (flags & REPEATED) === 0 ? undefined : bytes.readUInt32LE(9),
    referenced: (flags & REFERENCED) !== 0,
  };
}
