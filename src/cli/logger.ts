import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { Config } from "../config/index.js";

/**
 * Logs of a command that runs a server: JSON lines, Node's own warnings among them.
 *
 * @param lines where they go; default: standard error
 */
export function createLogger({ server }: Config, lines?: DestinationStream): Logger {
  // Synchronous, so that the last lines of a process that ends are written.
  const logger = pino({ level: server.log_level }, lines ?? destination({ fd: 2, sync: true }));
  // Node's own listener prints plain text.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, warning.message));
  return logger;
}
