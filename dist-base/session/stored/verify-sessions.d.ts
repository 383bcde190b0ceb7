import type { OfflineStorage } from "../../storage/index.js";
import { DamagedParts } from "./damaged-parts.js";
import { type StoredProblem } from "./stored-problem.js";
/** Counts of the records that were read. */
export interface Verified {
    readonly sessions: number;
    readonly records: number;
    readonly heldExports: number;
    readonly damaged: DamagedParts;
}
/**
 * Reads every record of a folder, checks every checksum, and restores every session as a server would.
 *
 * @param onSession called after each session, with the number of sessions
 */
export declare function verifySessions(storage: OfflineStorage, onProblem: (problem: StoredProblem) => void, onSession?: (total: number) => void): Verified;
