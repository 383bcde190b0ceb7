import { EventEmitter } from "node:events";
/**
 * How a session stopped accepting model calls. `ended`: by `/rl/end_session` or `end()`. `deleted`: it was deleted while
 * active. `expired`: it had no calls for too long.
 */
export type SessionOutcome = "ended" | "deleted" | "expired";
/** Facts of a session that stopped accepting model calls. */
export interface SessionOver {
    /** Milliseconds since the epoch. */
    readonly createdAt: number;
    /** Milliseconds since the epoch. */
    readonly lastAccessAt: number;
    readonly interactionCount: number;
}
interface Events {
    /** The session stopped accepting model calls. Emitted once per session. */
    over: [session: SessionOver, outcome: SessionOutcome];
    /** A reward was set for the first time, or to another value. */
    reward: [reward: number, scope: "interaction" | "session"];
}
/** Events of the sessions of a registry. Listeners only observe. */
export declare class SessionEvents extends EventEmitter<Events> {
}
export {};
