import { setMaxListeners } from "node:events";

/** setTimeout's limit, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Deadline {
  /** Aborted with the caller's reason, or with that of the time-out. */
  readonly signal: AbortSignal;
  /** Aborts it early. */
  abort(reason: Error): void;
  /** To be called when the work is done: stops the clock and leaves the caller's signal. */
  clear(): void;
}

/** The caller's signal joined with a time limit; without `seconds` there is none. */
export function startDeadline(
  caller: AbortSignal | undefined,
  seconds: number | undefined,
  expired: () => Error,
): Deadline {
  const controller = new AbortController();
  // One signal may stand for hundreds of episodes, or for the calls of one: that many listeners are no leak. Node 20
  // cannot read a limit of 0 back, which undici does.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal, ...(caller ? [caller] : []));
  const forward = () => controller.abort(caller?.reason);
  if (caller?.aborted) forward();
  else caller?.addEventListener("abort", forward, { once: true });
  const expire = () => controller.abort(expired());
  const timer = seconds === undefined ? undefined : setTimeout(expire, Math.min(seconds * 1000, LONGEST_MS));
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    clear: () => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", forward);
    },
  };
}
