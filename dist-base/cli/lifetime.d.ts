import type { Logger } from "pino";
/**
 * Stops the process in order on SIGTERM, SIGINT, SIGHUP and SIGQUIT and on an uncaught error (exit status 1). On a second
 * signal, or if the stop takes longer than `seconds`, the process ends immediately (exit status 1).
 *
 * @param stop stops the process in order and returns the exit status to use after a signal
 */
export declare function stopOnSignal(seconds: number, logger: Logger, stop: () => Promise<number>): void;
/** Stops the process if its parent dies. A rollout job starts servers with an IPC channel, which closes when the job dies. */
export declare function stopWithParent(): void;
