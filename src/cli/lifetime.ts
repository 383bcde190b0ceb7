import closeWithGrace from "close-with-grace";
import type { Logger } from "pino";

/** Longest delay of a timer of Node; over it, it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Signals that close-with-grace would handle too. A real fault (SIGSEGV and its like) does not survive a listener in
 * JavaScript: the process would hang in it.
 */
const NOT_HANDLED = ["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGUSR2", "beforeExit"] as const;

/**
 * Stops the process in order on SIGTERM, SIGINT, SIGHUP and SIGQUIT (exit status 0) and on an error that nobody caught
 * (exit status 1). A second signal, or `seconds` without an end, stops it at once (exit status 1).
 */
export function stopOnSignal(seconds: number, logger: Logger, stop: () => Promise<void>): void {
  const delay = Math.min(seconds * 1000, MAX_TIMER_MS);
  closeWithGrace({ delay, logger: asConsole(logger), skip: [...NOT_HANDLED] }, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, "stopping after an error that nobody caught");
    else logger.info({ signal }, "stopping");
    await stop();
    logger.info("stopped");
  });
}

function asConsole(logger: Logger) {
  return {
    error(message: unknown): void {
      if (message instanceof Error) logger.error({ err: message }, message.message);
      else logger.error(String(message));
    },
  };
}
