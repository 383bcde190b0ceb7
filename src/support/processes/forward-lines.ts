import type { Readable } from "node:stream";

const NEWLINE = 10;
const LONGEST_LINE_BYTES = 1 << 16;

/** Writes what a process prints to this one's standard error, in whole lines: several processes may print at once. */
export function forwardLines(output: Readable): void {
  let rest = Buffer.alloc(0);
  const write = (bytes: Buffer) => void (bytes.length > 0 && process.stderr.write(bytes));
  output.on("data", (chunk: Buffer) => {
    const all = Buffer.concat([rest, chunk]);
    const end = all.length > LONGEST_LINE_BYTES ? all.length : all.lastIndexOf(NEWLINE) + 1;
    rest = Buffer.from(all.subarray(end));
    write(all.subarray(0, end));
  });
  output.on("end", () => write(rest));
  // A pipe that breaks ends what is forwarded.
  output.on("error", () => {});
}
