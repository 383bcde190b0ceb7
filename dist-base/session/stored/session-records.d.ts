import { type Storage } from "../../storage/index.js";
import type { Steps } from "../../support/async/steps.js";
import type { ExportedShard, ExportedShards } from "../retention.js";
import type { SessionSummary } from "../session-summary.js";
import type { SessionJournal } from "./journal.js";
import type { StoredSession } from "./stored-session.js";
/** The record of a session that is read at every start; its interactions are not part of it. */
export interface StoredHead {
    readonly summary: SessionSummary;
    /** The hash of the session's key; undefined if the key was revoked. */
    readonly keyHash?: string | undefined;
    /** The exports of the session, while it is retained. */
    readonly exported?: ExportedShards | undefined;
}
/** The stored form of an export that must be acknowledged; see `ExportLeases`. */
export interface StoredLease {
    /** Numbers of the exported sessions. */
    readonly sessions: readonly number[];
    readonly part: ExportedShard;
    readonly expiresAt: number;
    readonly readerPid: number | undefined;
    readonly acknowledged: boolean;
    /** True: the lease ended without an acknowledgement. Its record is kept without sessions, so that a late one is refused. */
    readonly over: boolean;
}
/** Reads and writes the sessions of a server in its storage. */
export declare class SessionRecords {
    #private;
    constructor(storage: Storage);
    /** Returns the journal of a session. */
    journal(number: number, readHead: () => StoredHead): SessionJournal;
    /** Finds the tools of the sessions of an earlier process. `isNeeded` tells which sessions still have their data, by number. */
    restoreTools(isNeeded: (number: number) => boolean): void;
    /** Writes the head of a session at the end of this event turn, or before the next wait for the disk. */
    saveHead(number: number, readHead: () => StoredHead): void;
    /** Removes a session that was freed. */
    remove(number: number): void;
    /** Writes a value of the whole server, such as the capacity. */
    saveValue(name: string, value: unknown): void;
    /**
     * Returns a value that {@link saveValue} wrote; undefined if there is none.
     *
     * @throws StorageError `storage_unusable` if it is damaged
     */
    readValue(name: string): unknown;
    /**
     * Writes a stored response. The pieces of a long one are sealed in separate iterations of the event loop.
     *
     * @param isKept returns false if the session was freed meanwhile
     */
    saveResponse(number: number, index: number, text: string | Iterable<string>, isKept: () => boolean): Promise<void> | undefined;
    /** Reads the UTF-8 of a stored response; undefined if there is none. */
    readResponse(number: number, index: number): Steps<Buffer | undefined>;
    saveLease(id: string, lease: StoredLease): void;
    removeLease(id: string): void;
    readLeases(): Generator<[id: string, lease: StoredLease]>;
    /**
     * Reads the heads of all sessions, in the order in which the sessions started.
     *
     * @throws StorageError `storage_unusable` if one is damaged
     */
    readHeads(): Generator<{
        readonly number: number;
        readonly head: StoredHead;
    }>;
    /**
     * Reads the data of a session and passes it to `load`. All changes of the session must be committed. The tokens are valid until
     * the promise of `load` settles.
     *
     * @param readSummary called when the read begins, which other reads may delay; returns undefined if the session was freed meanwhile
     * @throws StorageError if a record is damaged or missing, or if `load` refuses the tokens
     */
    readSession(number: number, readSummary: () => SessionSummary | undefined, load: (stored: StoredSession) => Promise<void>): Promise<void>;
    /** Resolves when an answer may be sent; see {@link Storage.flushed}. */
    flushed(): Promise<void>;
    /** Resolves when everything that changed so far can be read. */
    committed(): Promise<void>;
}
