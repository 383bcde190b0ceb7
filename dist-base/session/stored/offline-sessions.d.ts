import type { Entry, OfflineStorage, ReportDamage } from "../../storage/index.js";
import type { Session } from "../session.js";
import type { StoredHead } from "./session-records.js";
import { type StoredProblem } from "./stored-problem.js";
/** A session of the folder. */
export interface OfflineSession {
    readonly number: number;
    readonly head: StoredHead;
}
/**
 * Reads the heads of all sessions that can be read, in the order in which the sessions started.
 *
 * @param onProblem called with each head that is damaged, and the number of its session
 * @param onDamage called with each part of the file that cannot be read. Default: reports it to `onProblem`
 */
export declare function readHeads(storage: OfflineStorage, onProblem: (problem: StoredProblem, session?: number) => void, onDamage?: ReportDamage): OfflineSession[];
/**
 * Reads the data of a session.
 *
 * @throws StorageError if it is damaged, PageError if the file is damaged there
 */
export declare function readOffline(storage: OfflineStorage, { number, head }: OfflineSession): Session;
/** Groups records, which come in the order of their keys, by session. */
export declare function groupBySession(records: Iterable<Entry>): Generator<{
    number: number;
    records: Entry[];
}>;
export declare function reasonOf(error: unknown): string;
