import { Deadline } from "../support/async/deadline.js";
import { EngineError } from "./engine.js";

/**
 * Joins a call's signal with the time limit of the whole call.
 *
 * @param seconds 0 for no limit
 */
export function startCallDeadline(caller: AbortSignal, seconds: number): Deadline {
  const expired = () => new EngineError("engine_timeout", `The engine did not finish within ${seconds} seconds.`);
  return new Deadline(caller, seconds > 0 ? seconds : undefined, expired);
}
