import type { Readable } from "node:stream";
/**
 * Writes the output of a process to standard error in whole lines, because several processes may print at once. Adds a
 * line break to a last line that has none.
 *
 * @returns a function that writes an incomplete last line now, for callers that do not wait for the end of the output
 */
export declare function forwardLines(output: Readable): () => void;
