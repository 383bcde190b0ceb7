import { backoffMilliseconds } from "../async/backoff.js";
import { sleep } from "../async/sleep.js";

const PAUSE = { firstMilliseconds: 250, longestMilliseconds: 30_000 };

/**
 * Waits before a process that ended is started again: 250 ms, twice as long after each restart, 30 s at most.
 *
 * @param restarts how often it was started again before
 * @returns false if the signal aborted: the process must not be started again
 */
export async function pauseBeforeRestart(restarts: number, signal: AbortSignal): Promise<boolean> {
  await sleep(backoffMilliseconds(restarts, PAUSE), signal).catch(() => undefined);
  return !signal.aborted;
}
