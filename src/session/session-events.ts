import { EventEmitter } from "node:events";
import type { Session } from "./session.js";

/**
 * How a session stopped taking model calls. `ended`: by a call of `/rl/end_session`. `deleted`: by its deletion while it was
 * active. `expired`: it saw no call for too long.
 */
export type SessionOutcome = "ended" | "deleted" | "expired";

interface Events {
  /** Emitted once per session. */
  over: [session: Session, outcome: SessionOutcome];
  /** A reward was set for the first time, or to another value. */
  reward: [reward: number, scope: "interaction" | "session"];
}

/** What happens in the sessions of a registry, for those who only count. */
export class SessionEvents extends EventEmitter<Events> {}
