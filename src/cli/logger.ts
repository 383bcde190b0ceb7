import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "../config/index.js";
import { openStandardError } from "./standard-error.js";

/**
 * Creates the logger of a command that runs a server. It writes JSON lines with ISO 8601 times and names of levels, and logs Node's own warnings too.
 * If nobody reads standard error, lines are dropped: the process never waits for its log.
 *
 * @param lines destination of the lines. Default: standard error
 */
export function createLogger({ server }: Config, lines?: DestinationStream): Logger {
  const options = {
    level: server.log_level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, lines ?? openStandardError());
  // Removes Node's own listener, which prints plain text.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, warning.message));
  return logger;
}
