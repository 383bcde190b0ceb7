import { backoffMilliseconds } from "../async/backoff.js";
import { sleep } from "../async/sleep.js";
const PAUSE = { firstMilliseconds: 250, longestMilliseconds: 30_000 };
/**
 * Waits before a process that ended is started again. The wait is 250 ms at first, doubles with each restart, and is at
 * most 30 s.
 *
 * @param restarts number of earlier restarts
 * @returns false if the signal aborted: the process must not be started again
 */
export async function pauseBeforeRestart(restarts, signal) {
    await sleep(backoffMilliseconds(restarts, PAUSE), signal).catch(() => undefined);
    return !signal.aborted;
}
//# sourceMappingURL=restart-pause.js.map