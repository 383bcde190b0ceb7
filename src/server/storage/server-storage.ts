import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../../config/index.js";
import { SessionRecords } from "../../session/stored/session-records.js";
import { newWorkerTag } from "../../session/worker-tag.js";
import { Storage, unusableFolderError } from "../../storage/index.js";

/** The open storage folder of a server, and the values that the server reads from it at its start. */
export interface ServerStorage {
  readonly storage: Storage;
  readonly records: SessionRecords;
  /** The key of the message digests of all sessions in the folder, 16 bytes. */
  readonly digestKey: Uint8Array;
  /** The tag of the server. It is the same after a restart, so that keys and session ids stay valid. */
  readonly workerTag: string;
  /** Limit of the memory of all sessions, in bytes. Above it, sessions that are not in use are kept on disk only. */
  readonly memoryBytes: number;
}

/** The identity of a server, as stored in its folder. */
export interface Identity {
  readonly format: number;
  readonly digestKey: string;
  readonly workerTag: string;
  /** Digest of the model that the sessions were recorded with. */
  readonly modelDigest: string;
}

export const IDENTITY = "identity";
/** Name of the stored origin of batches, which an export without a server needs. */
export const ORIGIN = "origin";
/** Version of the folder. A server refuses later ones. */
export const FORMAT = 4;
/** Versions that this one reads. Version 2 has no write-ahead log, and the log of version 3 does not say whether it is open. */
export const READABLE_FORMATS: readonly number[] = [2, 3, FORMAT];
const DIGEST_KEY_BYTES = 16;

export interface StorageNeeds {
  readonly modelDigest: string;
  /** Limit of the memory of all sessions, in bytes. */
  readonly storeBytes: number;
  readonly logger: FastifyBaseLogger;
}

/** Opens the folder of the configuration; undefined if `storage.directory` is null. */
export async function openServerStorage(
  config: Config,
  { modelDigest, storeBytes, logger }: StorageNeeds,
): Promise<ServerStorage | undefined> {
  const { directory, memory_bytes } = config.storage;
  if (directory === null) return undefined;
  const storage = await openFolder(directory, config, logger);
  try {
    const records = new SessionRecords(storage);
    const identity = readIdentity(records, modelDigest, directory);
    const { worker_tag } = config.server;
    const workerTag = worker_tag === null || worker_tag === "auto" ? identity.workerTag : worker_tag;
    if (workerTag !== identity.workerTag && hasData(records))
      logger.warn(
        { directory, stored: identity.workerTag, configured: workerTag },
        "the storage folder has sessions of another worker tag; a gateway does not find them under server.worker_tag",
      );
    const current: Identity = { ...identity, workerTag, modelDigest };
    // If nothing changed, a server also starts on a full disk, so that its sessions can be exported.
    if (!isDeepStrictEqual(records.readValue(IDENTITY), current)) {
      records.saveValue(IDENTITY, current);
      await records.committed();
    }
    const digestKey = Buffer.from(identity.digestKey, "base64");
    return { storage, records, digestKey, workerTag, memoryBytes: memory_bytes ?? storeBytes / 2 };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

function openFolder(directory: string, { storage }: Config, logger: FastifyBaseLogger): Promise<Storage> {
  return Storage.open({
    directory,
    durability: storage.durability,
    intervalMilliseconds: storage.interval_seconds * 1000,
    onCheck: (checked, total) => logger.info({ directory, checked, total }, "checking the pages of the storage file"),
    onRecover: ({ records, bytes }) =>
      logger.info({ directory, records, bytes }, "applied the changes that a crash left in the log"),
    onFailure: (failure) => {
      if (failure)
        logger.error(
          { directory, reason: failure.message },
          "storage refuses writes; calls that change something are refused",
        );
      else logger.info({ directory }, "storage accepts writes again");
    },
  });
}

/**
 * Returns the identity in the folder, or a new one.
 *
 * @throws StorageError `storage_unusable` if the folder has records of another version, or sessions of another model
 */
function readIdentity(records: SessionRecords, modelDigest: string, directory: string): Identity {
  const stored = records.readValue(IDENTITY) as Identity | undefined;
  if (!stored) {
    const digestKey = randomBytes(DIGEST_KEY_BYTES).toString("base64");
    return { format: FORMAT, digestKey, workerTag: newWorkerTag(), modelDigest };
  }
  if (!READABLE_FORMATS.includes(stored.format)) {
    const reason = `has records of version ${stored.format}; this server reads and writes version ${FORMAT}`;
    throw unusableFolderError(directory, reason);
  }
  if (stored.modelDigest !== modelDigest && hasData(records)) {
    const reason =
      "has sessions of another model: its tokenizer or chat template differs from this server's. " +
      "Start the server with the model that `rolltape storage inspect` names, or use another folder";
    throw unusableFolderError(directory, reason);
  }
  return { ...stored, format: FORMAT };
}

/** Returns true if the folder has a session whose data was not freed. */
function hasData(records: SessionRecords): boolean {
  for (const { head } of records.readHeads()) if (!head.summary.freed) return true;
  return false;
}
