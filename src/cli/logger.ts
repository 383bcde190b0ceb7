import { destination, type Logger, pino } from "pino";
import type { Config } from "../config/index.js";

/** Logs of a command that runs as a server: JSON lines on standard error, Node's own warnings among them. */
export function createLogger({ server }: Config): Logger {
  // Synchronous, so that the last lines of a process that ends are written.
  const logger = pino({ level: server.log_level }, destination({ fd: 2, sync: true }));
  // Node's own listener prints plain text.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, warning.message));
  return logger;
}
