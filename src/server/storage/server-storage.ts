import { isDeepStrictEqual } from "node:util";
import type { FastifyBaseLogger } from "fastify";
import { type Config, readWorkerTag } from "../../config/index.js";
import { listReasons } from "../../http/error-log.js";
import { SessionRecords } from "../../session/stored/session-records.js";
import { Storage } from "../../storage/index.js";
import { hasData, IDENTITY, type Identity, readIdentity } from "./identity.js";

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

/** Name of the stored origin of batches, which an export without a server needs. */
export const ORIGIN = "origin";

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
    const chosen = readWorkerTag(config);
    const workerTag = chosen === null || chosen === "auto" ? identity.workerTag : chosen;
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
    onRead: (read, total) => logger.info({ directory, read, total }, "reading the segments of the storage"),
    onRecover: ({ records, bytes, incomplete }) =>
      logger.info({ directory, records, bytes, incomplete }, "read the records that a crash left in the storage"),
    onFailure: (failure) => {
      if (failure)
        logger.error(
          { directory, reason: failure.message, causes: listReasons(failure.cause, failure.message) },
          "storage refuses writes; calls that change something are refused",
        );
      else logger.info({ directory }, "storage accepts writes again");
    },
  });
}
