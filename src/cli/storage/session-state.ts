import type { SessionState } from "../../session/lifecycle.js";
import type { StoredHead } from "../../session/stored/session-records.js";

/** The state of a stored session. `held`: it is in an export that was not acknowledged. */
export type StoredState = SessionState | "held";

export const STORED_STATES = ["active", "ended", "held", "exported", "expired"] as const satisfies StoredState[];

export function readState({ summary: { state, held } }: Pick<StoredHead, "summary">): StoredState {
  return held ? "held" : state;
}
