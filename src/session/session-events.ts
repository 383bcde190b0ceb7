import { EventEmitter } from "node:events";
import type { Session } from "./session.js";

/**
 * How a session stopped accepting model calls. `ended`: by `/rl/end_session` or `end()`. `deleted`: it was deleted while
 * active. `expired`: it had no calls for too long.
 */
export type SessionOutcome = "ended" | "deleted" | "expired";

interface Events {
  /** The session stopped accepting model calls. Emitted once per session. */
  over: [session: Session, outcome: SessionOutcome];
  /** A reward was set for the first time, or to another value. */
  reward: [reward: number, scope: "interaction" | "session"];
}

/** Events of the sessions of a registry. Listeners only observe. */
export class SessionEvents extends EventEmitter<Events> {}
