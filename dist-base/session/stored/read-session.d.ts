import { type Entry, StorageError } from "../../storage/index.js";
import type { Steps } from "../../support/async/steps.js";
import type { SessionSummary } from "../session-summary.js";
import { type OwnMessages } from "./interaction-record.js";
import type { StoredSession } from "./stored-session.js";
/** Reads the messages of an interaction, whose key is given. */
type ReadMessages = (key: Buffer) => OwnMessages;
type StoredCounts = Pick<SessionSummary, "interactionCount" | "rewards">;
/**
 * Reads the data of a session from its records.
 *
 * @param readMessages reads messages when they are needed. Required if the values of the records can change before that
 * @throws StorageError if a record is damaged
 */
export declare function readStoredSession(id: string, records: readonly Entry[], readMessages?: ReadMessages): Steps<StoredSession>;
/** Collects the records of a session, which come in the order of their keys: all interactions, then all outcomes. */
export declare class RecordList {
    #private;
    /** @param readMessages reads messages when they are needed. Required if the values of the records can change before that */
    constructor(readMessages?: ReadMessages);
    /** Throws if the record is damaged, or if one before it is missing. */
    add({ key, value }: Entry): void;
    read(): StoredSession;
}
/** Returns the name of a record in its session. Its key may be damaged. */
export declare function nameRecord(key: Buffer): string;
/**
 * Compares the data of a session with the counts in its head. Nothing else shows that records at its end are missing.
 *
 * @throws StorageError if something is missing
 */
export declare function requireComplete(id: string, { interactions, outcomes }: StoredSession, counts: StoredCounts): void;
/** Names a session whose id is unknown by its number, which is the last part of the id. */
export declare function nameByNumber(number: number): string;
/** Returns the error of a record that is damaged. */
export declare function damagedError(what: string, cause: unknown): StorageError;
export {};
