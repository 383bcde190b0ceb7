import { setMaxListeners } from "node:events";

/** The limit of setTimeout, 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Deadline {
  /** Aborts with the caller's reason, or with the error of the time-out. */
  readonly signal: AbortSignal;
  /** Aborts it early. */
  abort(reason: Error): void;
  /** Stops the timer and removes the listener from the caller's signal. Call it when the work is done. */
  clear(): void;
}

/**
 * Joins the caller's signal with a time limit.
 *
 * @param seconds no limit if undefined
 * @param expired creates the error of the time-out
 */
export function startDeadline(
  caller: AbortSignal | undefined,
  seconds: number | undefined,
  expired: () => Error,
): Deadline {
  const controller = new AbortController();
  // Hundreds of episodes or calls may listen to one signal, which is no leak. A limit of 0 would also mean unlimited, but
  // undici reads the limit back, which fails on Node 20 if it is 0.
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
