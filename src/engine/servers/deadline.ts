import { EngineError } from "../engine.js";

/** setTimeout's limit, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Deadline {
  /** Aborted with the caller's reason, or with an engine_timeout. */
  readonly signal: AbortSignal;
  clear(): void;
}

/** The caller's signal joined with a time limit for the whole call; `seconds` 0 is none. */
export function startDeadline(caller: AbortSignal, seconds: number): Deadline {
  const controller = new AbortController();
  const forward = () => controller.abort(caller.reason);
  if (caller.aborted) forward();
  else caller.addEventListener("abort", forward, { once: true });
  const expire = () =>
    controller.abort(new EngineError("engine_timeout", `The engine did not finish within ${seconds} seconds.`));
  const timer = seconds > 0 ? setTimeout(expire, Math.min(seconds * 1000, LONGEST_MS)) : undefined;
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      caller.removeEventListener("abort", forward);
    },
  };
}
