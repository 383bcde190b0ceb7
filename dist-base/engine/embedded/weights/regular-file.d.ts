import type { Stats } from "node:fs";
/** Rejects unless the path is a regular file. Opening a named pipe would wait for a writer, and keep the process from ending. */
export declare function requireRegularFile(path: string): Promise<void>;
/** @throws Error if an entry of a folder is not a regular file */
export declare function assertRegularFile(entry: Stats): void;
