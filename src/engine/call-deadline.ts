import { Deadline } from "../support/async/deadline.js";
import { EngineError } from "./engine.js";

/**
 * Returns a deadline that combines the caller's signal with the time limit of the whole call.
 *
 * @param seconds 0: no limit
 */
export function startCallDeadline(caller: AbortSignal, seconds: number): Deadline {
  const expired = () => new EngineError("engine_timeout", `The engine did not finish within ${seconds} seconds.`);
  return new Deadline(caller, seconds > 0 ? seconds : undefined, expired);
}
