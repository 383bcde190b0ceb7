/** Returns the size of a log in bytes; 0 if it does not exist yet. */
export declare function logLength(file: string): number;
/**
 * Returns a sentence that names the log of a process and shows the last lines that the process wrote there.
 *
 * @param from offset in bytes at which the process's own part of the log begins, after the parts of earlier runs
 */
export declare function describeLogEnd(file: string, from: number): string;
