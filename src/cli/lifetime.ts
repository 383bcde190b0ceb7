import { fstatSync } from "node:fs";
import { finished } from "node:stream";
import closeWithGrace from "close-with-grace";
import type { Logger } from "pino";

/** The longest delay of a Node timer. With a longer delay it fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Signals that close-with-grace would handle by default. After a real fault such as SIGSEGV, a JavaScript listener
 * cannot run: the process would hang.
 */
const NOT_HANDLED = ["SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGUSR2", "beforeExit"] as const;

/**
 * Stops the process in order on SIGTERM, SIGINT, SIGHUP and SIGQUIT and on an uncaught error (exit status 1). On a second
 * signal, or if the stop takes longer than `seconds`, the process ends immediately (exit status 1).
 *
 * @param stop stops the process in order and returns the exit status to use after a signal
 */
export function stopOnSignal(seconds: number, logger: Logger, stop: () => Promise<number>): void {
  const delay = Math.min(seconds * 1000, MAX_TIMER_MS);
  closeWithGrace({ delay, logger: asConsole(logger), skip: [...NOT_HANDLED] }, async ({ err, signal }) => {
    if (err) logger.fatal({ err }, "stopping after an uncaught error");
    else logger.info({ signal }, "stopping");
    const status = await stop();
    logger.info("stopped");
    // close-with-grace would end the process with status 0.
    if (!err && status !== 0) process.exit(status);
  });
}

/** Stops the process as SIGTERM does when the program that holds the other end of its standard input has ended, however it ended. */
export function stopWithStarter(): void {
  const input = fstatSync(process.stdin.fd);
  // Of a terminal or a file, the end means nothing.
  if (!input.isFIFO() && !input.isSocket()) return;
  finished(process.stdin.resume(), () => process.kill(process.pid, "SIGTERM"));
}

function asConsole(logger: Logger) {
  return {
    error(message: unknown): void {
      if (message instanceof Error) logger.error({ err: message }, message.message);
      else logger.error(String(message));
    },
  };
}
