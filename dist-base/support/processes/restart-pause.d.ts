/**
 * Waits before a process that ended is started again. The wait is 250 ms at first, doubles with each restart, and is at
 * most 30 s.
 *
 * @param restarts number of earlier restarts
 * @returns false if the signal aborted: the process must not be started again
 */
export declare function pauseBeforeRestart(restarts: number, signal: AbortSignal): Promise<boolean>;
