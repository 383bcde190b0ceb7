import type { Readable } from "node:stream";

const NEWLINE = 10;
const LONGEST_LINE_BYTES = 1 << 16;

/**
 * Writes what a process prints to this one's standard error, in whole lines, because several processes may print at once.
 * A last line without an end gets one. Returns a function that writes what is left of an output whose end is not awaited.
 */
export function forwardLines(output: Readable): () => void {
  let rest = Buffer.alloc(0);
  const write = (bytes: Buffer) => void (bytes.length > 0 && process.stderr.write(bytes));
  output.on("data", (chunk: Buffer) => {
    const all = Buffer.concat([rest, chunk]);
    const end = all.length > LONGEST_LINE_BYTES ? all.length : all.lastIndexOf(NEWLINE) + 1;
    rest = Buffer.from(all.subarray(end));
    write(all.subarray(0, end));
  });
  const flush = () => {
    if (rest.length > 0) write(Buffer.concat([rest, Buffer.from([NEWLINE])]));
    rest = Buffer.alloc(0);
  };
  output.on("end", flush);
  // A pipe that breaks ends what is forwarded.
  output.on("error", () => {});
  return flush;
}
