import type { SessionState } from "../../session/lifecycle.js";
import type { StoredHead } from "../../session/stored/session-records.js";
/** The state of a stored session. `held`: it is in an export that was not acknowledged. */
export type StoredState = SessionState | "held";
export declare const STORED_STATES: ["active", "ended", "held", "exported", "expired"];
export declare function readState({ summary: { state, held } }: StoredHead): StoredState;
