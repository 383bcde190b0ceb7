/**
 * Returns how many files and sockets this process may have open; undefined if the operating system is not Linux. Node raises this
 * soft limit to the hard limit when it starts.
 */
export declare function readOpenFileLimit(file?: string): number | undefined;
