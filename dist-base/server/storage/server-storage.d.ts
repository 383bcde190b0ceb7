import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../../config/index.js";
import { SessionRecords } from "../../session/stored/session-records.js";
import { Storage } from "../../storage/index.js";
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
export declare const IDENTITY = "identity";
/** Name of the stored origin of batches, which an export without a server needs. */
export declare const ORIGIN = "origin";
/** Version of the folder. A server refuses later ones. */
export declare const FORMAT = 3;
/** Versions that this one reads. Version 2 has no write-ahead log. */
export declare const READABLE_FORMATS: readonly number[];
export interface StorageNeeds {
    readonly modelDigest: string;
    /** Limit of the memory of all sessions, in bytes. */
    readonly storeBytes: number;
    readonly logger: FastifyBaseLogger;
}
/** Opens the folder of the configuration; undefined if `storage.directory` is null. */
export declare function openServerStorage(config: Config, { modelDigest, storeBytes, logger }: StorageNeeds): Promise<ServerStorage | undefined>;
