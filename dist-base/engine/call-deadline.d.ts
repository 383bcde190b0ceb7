import { Deadline } from "../support/async/deadline.js";
/**
 * Returns a deadline that combines the caller's signal with the time limit of the whole call.
 *
 * @param seconds 0: no limit
 * @param isPaused returns true while the engine is paused, which the error then says
 */
export declare function startCallDeadline(caller: AbortSignal, seconds: number, isPaused: () => boolean): Deadline;
