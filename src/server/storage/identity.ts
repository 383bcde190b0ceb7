import { randomBytes } from "node:crypto";
import { STATE } from "../../session/session-registry.js";
import type { SessionRecords } from "../../session/stored/session-records.js";
import { newWorkerTag } from "../../session/worker-tag.js";
import { unusableFolderError } from "../../storage/index.js";

/** The identity of a server, as stored in its folder. */
export interface Identity {
  readonly format: number;
  readonly digestKey: string;
  readonly workerTag: string;
  /** Digest of the model that the sessions were recorded with. */
  readonly modelDigest: string;
}

/** Name of the identity in the storage. */
export const IDENTITY = "identity";
/** Version of the records. A server refuses others. */
const FORMAT = 5;
const DIGEST_KEY_BYTES = 16;

/**
 * Returns the identity in the folder, or a new one if the folder has no sessions.
 *
 * @throws StorageError `storage_unusable` if the folder has records of another version or sessions of another model, or if it has
 * sessions and lost values that a server needs to continue them
 */
export function readIdentity(records: SessionRecords, modelDigest: string, directory: string): Identity {
  const stored = records.readValue(IDENTITY) as Identity | undefined;
  if (stored) requireReadableFormat(stored.format, directory);
  if (hasSessions(records)) refuseLostValues(records, directory);
  if (!stored) {
    const digestKey = randomBytes(DIGEST_KEY_BYTES).toString("base64");
    return { format: FORMAT, digestKey, workerTag: newWorkerTag(), modelDigest };
  }
  if (stored.modelDigest !== modelDigest && hasData(records)) {
    const reason =
      "has sessions of another model: its tokenizer or chat template differs from this server's. " +
      "Start the server with the model that `rolltape storage inspect` names, or use another folder";
    throw unusableFolderError(directory, reason);
  }
  return stored;
}

/** @throws StorageError `storage_unusable` if this build cannot read records of this version */
export function requireReadableFormat(format: number, directory: string): void {
  if (format === FORMAT) return;
  const writer = format > FORMAT ? "newer" : "older";
  const reason =
    `has records of version ${format}; this Rolltape reads version ${FORMAT}. ` +
    `Use the ${writer} Rolltape that wrote them, or another folder`;
  throw unusableFolderError(directory, reason);
}

/** Returns true if the folder has a session whose data was not freed. */
export function hasData(records: SessionRecords): boolean {
  for (const { head } of records.readHeads()) if (!head.summary.freed) return true;
  return false;
}

function hasSessions(records: SessionRecords): boolean {
  for (const _ of records.readHeads()) return true;
  return false;
}

/** Without these values, message digests could not be compared, and session ids would be given again. */
function refuseLostValues(records: SessionRecords, directory: string): void {
  const lost = [IDENTITY, STATE].filter((name) => records.readValue(name) === undefined);
  if (lost.length === 0) return;
  const reason =
    `has lost values that a server needs to continue its sessions (${lost.join(", ")}). ` +
    "`rolltape export --storage` exports what can be read; start the server on another folder";
  throw unusableFolderError(directory, reason);
}
