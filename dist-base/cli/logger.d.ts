import { type DestinationStream, type Logger } from "pino";
import type { Config } from "../config/index.js";
/**
 * Creates the logger of a command that runs a server. It writes JSON lines with ISO 8601 times and names of levels, and logs Node's own warnings too.
 *
 * @param lines destination of the lines. Default: standard error
 */
export declare function createLogger({ server }: Config, lines?: DestinationStream): Logger;
