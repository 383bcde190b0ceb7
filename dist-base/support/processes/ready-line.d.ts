import type { Readable } from "node:stream";
/**
 * Prints the ready line of this process.
 *
 * @param write writes to standard output. Default: as it is now
 */
export declare function printReadyLine(fields: Readonly<Record<string, unknown>> & {
    readonly url: string;
}, write?: (text: string) => void): void;
/** Waits for the first line of an output, and discards the rest. Returns undefined if it ends without a line. */
export declare function readFirstLine(output: Readable): Promise<string | undefined>;
/** Polls a file until its first line is a ready line, and returns its `url`. A shared folder may show the line late. */
export declare function waitForReadyLine(file: string, signal: AbortSignal): Promise<string>;
