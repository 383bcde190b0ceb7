import { escapeJsonLines } from "../support/inert-text.js";
import { LineOutput } from "../support/processes/line-output.js";

let opened: LineOutput | undefined;

/**
 * Returns standard error as an output that never waits for its reader, and makes `process.stderr` use it. A line in the form of the log
 * reports how many lines were dropped.
 *
 * On a terminal, writes wait for the terminal. Control characters of agents' texts are escaped.
 */
export function openStandardError(): { write(line: string): void } {
  const { stderr } = process;
  if (stderr.isTTY) return { write: (line) => void stderr.write(escapeJsonLines(line)) };
  if (opened) return opened;
  const output = new LineOutput(stderr.fd, { describeDropped });
  opened = output;
  const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    output.write(chunk);
    const done = rest.find((each) => typeof each === "function") as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  };
  stderr.write = write as typeof stderr.write;
  process.on("exit", () => output.flushAtExit());
  return output;
}

function describeDropped(count: number): string {
  const message = "lines of the log were dropped, because standard error was not read";
  return `${JSON.stringify({ level: "warn", time: new Date().toISOString(), dropped: count, msg: message })}\n`;
}
