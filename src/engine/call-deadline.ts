import type { AbortSource } from "../support/async/abort-source.js";
import { Deadline } from "../support/async/deadline.js";
import { EngineError } from "./engine.js";

const PAUSED = "It is paused: `GET /rl/weights` and `GET /rl/engine` tell why.";

/**
 * Returns a deadline that combines the caller's signal with the time limit of the whole call.
 *
 * @param seconds 0: no limit
 * @param isPaused returns true while the engine is paused, which the error then says
 */
export function startCallDeadline(caller: AbortSource | undefined, seconds: number, isPaused: () => boolean): Deadline {
  const expired = () => {
    const paused = isPaused() ? ` ${PAUSED}` : "";
    return new EngineError("engine_timeout", `The engine did not finish within ${seconds} seconds.${paused}`);
  };
  return new Deadline(caller, seconds > 0 ? seconds : undefined, expired);
}
