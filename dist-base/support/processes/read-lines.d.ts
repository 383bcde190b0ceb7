import type { Readable } from "node:stream";
/** A line without its line break; `undefined` stands for a line that was longer than the limit. */
export type LineListener = (line: string | undefined) => void;
/**
 * Calls `listener` for each line of an output. Text after the last line break is a line too if the output ends.
 *
 * @param limit maximum bytes of a line. Nothing of a longer line is kept.
 */
export declare function readLines(output: Readable, limit: number, listener: LineListener): void;
