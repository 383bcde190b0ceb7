import { destination, pino } from "pino";
/**
 * Creates the logger of a command that runs a server. It writes JSON lines with ISO 8601 times and names of levels, and logs Node's own warnings too.
 *
 * @param lines destination of the lines. Default: standard error
 */
export function createLogger({ server }, lines) {
    const options = {
        level: server.log_level,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
    };
    // Synchronous, so that the last lines of a process that ends are written.
    const logger = pino(options, lines ?? destination({ fd: 2, sync: true }));
    // Removes Node's own listener, which prints plain text.
    process.removeAllListeners("warning");
    process.on("warning", (warning) => logger.warn({ err: warning }, warning.message));
    return logger;
}
//# sourceMappingURL=logger.js.map