import type { StoredInteraction } from "./interaction-record.js";
import type { Outcome } from "./outcome-record.js";
/** The stored data of a session. `outcomes[i]` belongs to `interactions[i]`. */
export interface StoredSession {
    readonly interactions: readonly StoredInteraction[];
    readonly outcomes: readonly Outcome[];
}
