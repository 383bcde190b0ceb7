import { EventEmitter } from "node:events";
import type { Split } from "./session-summary.js";

/**
 * How a session stopped accepting model calls. `ended`: by `/rl/end_session` or `end()`. `deleted`: it was deleted while
 * active. `expired`: it had no calls for too long.
 */
export type SessionOutcome = "ended" | "deleted" | "expired";

/** Facts of the session that an event is about. */
export interface SessionFacts {
  readonly id: string;
  readonly split: Split;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch. */
  readonly lastAccessAt: number;
  readonly interactionCount: number;
}

interface Events {
  /** The session stopped accepting model calls. Emitted once per session. */
  over: [session: SessionFacts, outcome: SessionOutcome];
  /** A reward was set for the first time, or to another value. */
  reward: [session: SessionFacts, reward: number, scope: "interaction" | "session"];
  /** The stored data of a session changed that no longer accepts model calls. */
  changed: [session: SessionFacts];
}

/** Events of the sessions of a registry. Listeners only observe. */
export class SessionEvents extends EventEmitter<Events> {}
