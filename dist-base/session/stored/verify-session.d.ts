import type { Entry } from "../../storage/index.js";
import type { StoredHead } from "./session-records.js";
import type { StoredProblem } from "./stored-problem.js";
/** A problem of a session. */
export interface SessionProblem extends Omit<StoredProblem, "what"> {
    /** Without the session, for example `interaction 3`. */
    readonly what: string;
    /** The damaged record, if the session can be restored without it. */
    readonly spare?: Entry;
}
/** Checks the records of a session and restores it as a server would. The records come in the order of their keys. */
export declare function verifySession(head: StoredHead, records: readonly Entry[]): Generator<SessionProblem>;
