import type { MessageFilter } from "../conversation/text-filter.js";
import type { Steps } from "../support/async/steps.js";
import type { SessionState } from "./lifecycle.js";
import { type ExportedShard, type RetentionLimits } from "./retention.js";
import { Session } from "./session.js";
import { SessionEvents } from "./session-events.js";
import type { SessionRecords } from "./stored/session-records.js";
export interface RegistryOptions {
    readonly adminKey: string;
    /** A session expires after this time without a call. */
    readonly timeoutMilliseconds: number;
    readonly retention: RetentionLimits;
    /** Part of every session key and session id. It makes them unique among servers and across restarts. */
    readonly workerTag?: string | undefined;
    /** Rejects keys chosen by the caller that lack the tag, because a gateway could not find their worker. */
    readonly taggedKeysOnly?: boolean;
    readonly messageFilters?: readonly MessageFilter[];
    /** Where sessions are stored. Absent: sessions end with the process. */
    readonly records?: SessionRecords | undefined;
    /** The key of all message digests, 16 bytes. Default: the key of this process. */
    readonly digestKey?: Uint8Array | undefined;
}
export interface StartOptions {
    readonly taskId?: string | undefined;
    readonly groupId?: string | undefined;
    /** Lease of the rollout job that starts the session. */
    readonly leaseId?: string | undefined;
    /** A session key chosen by the caller. Default: a random key. */
    readonly apiKey?: string | undefined;
}
/** The part of a registry that survives the process, besides its sessions. */
export interface StoredState {
    readonly nextNumber: number;
    readonly capacity: number;
}
/** Name of the state in the storage. */
export declare const STATE = "registry";
/** All sessions of one server: capacity, ids, keys, expiry, retention. */
export declare class SessionRegistry {
    #private;
    readonly events: SessionEvents;
    constructor(options: RegistryOptions);
    get workerTag(): string | undefined;
    /** Memory of all sessions, native and in JavaScript, in bytes. */
    get bytes(): number;
    /** Number of free slots. */
    get capacity(): number;
    /** Adds slots. Returns the number of free slots. */
    grant(slots: number): number;
    /** Starts a session, which takes one slot. Returns the session and its key. */
    start({ taskId, groupId, leaseId, apiKey }: StartOptions): {
        session: Session;
        key: string;
    };
    /** Removes a session that was just started, and frees its slot. */
    cancelStart(session: Session): void;
    /**
     * Restores the sessions of an earlier process with the same storage. Their data stays on disk until {@link wake}. Each session
     * counts as called now, so a session does not expire because no process ran.
     */
    restore(): void;
    /**
     * Reads the data of a session from disk, if it is not in memory.
     *
     * @throws StorageError if the stored data is damaged
     */
    wake(session: Session): Promise<void>;
    /** Returns the session with this number; undefined if there is none. The number is the last part of a session id. */
    byNumber(number: number): Session | undefined;
    /** Returns the number of a session; undefined if the registry does not have it. */
    numberOf(session: Session): number | undefined;
    /**
     * Stores the response of an interaction (Responses API), if sessions are stored.
     *
     * @param encode returns the response as text, or as the pieces of a long text; not called if sessions are not stored
     * @returns resolves when a long text was written; undefined if there is nothing to wait for
     */
    saveResponse(session: Session, index: number, encode: () => string | Iterable<string>): Promise<void> | undefined;
    /** Returns the UTF-8 of the text that {@link saveResponse} stored; undefined if there is none. */
    readResponse(session: Session, index: number): Steps<Buffer | undefined>;
    /** Resolves when an answer may be sent: at once if sessions are not stored, otherwise see {@link SessionRecords.flushed}. */
    flushed(): Promise<void>;
    /**
     * Frees the memory of sessions that are not in use until `isEnough` returns true, beginning with the session whose last call is
     * the oldest. Their data stays on disk.
     */
    unloadIdle(isEnough: () => boolean): Promise<void>;
    /** @param hash the {@link hashText} of a session key */
    byKeyHash(hash: string): Session | undefined;
    get(id: string): Session;
    all(): Iterable<Session>;
    countByState(): Record<SessionState, number>;
    /** Seals sessions after a successful export: revokes their keys and keeps their tokens under the retention limits. */
    seal(sessions: readonly Session[], part?: ExportedShard): void;
    /** Revokes the keys of sessions whose export must still be acknowledged. */
    revokeKeys(sessions: readonly Session[]): void;
    /**
     * Frees exported sessions before their retention is over, oldest first, until `isEnough` returns true or none is left. Keeps
     * sessions with shards that are still to be exported.
     */
    freeRetained(isEnough: () => boolean): void;
    /** Forgets the oldest sessions without data. Returns true if there were any. */
    forgetFreed(): boolean;
    /**
     * Deletes a session without an export: revokes its key, aborts its calls in flight, frees its data and removes it.
     * Waits for an export of the session that is being packed.
     */
    delete(id: string): Promise<void>;
    /** Frees sessions that timed out. Call it periodically. */
    sweep(now?: number): void;
}
