import { Writable } from "node:stream";
import { type Logger, type LoggerOptions, pino } from "pino";

export interface LogLine extends Record<string, unknown> {
  readonly level: number;
}

export interface CapturedLog {
  readonly logger: Logger;
  /** The lines that were logged so far. */
  readonly lines: LogLine[];
}

/** Returns a logger and the lines that it writes, without time and process. */
export function captureLog(options: LoggerOptions = {}): CapturedLog {
  const lines: LogLine[] = [];
  const sink = new Writable({
    write: (text, _, done) => {
      lines.push(JSON.parse(String(text)) as LogLine);
      done();
    },
  });
  return { logger: pino({ base: null, timestamp: false, ...options }, sink), lines };
}
