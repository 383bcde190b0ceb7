import { stat } from "node:fs/promises";

export const NOT_REGULAR = "it is not a regular file";

/** Rejects unless the path is a regular file. Opening a named pipe would wait for a writer, and keep the process from ending. */
export async function requireRegularFile(path: string): Promise<void> {
  if (!(await stat(path)).isFile()) throw new Error(NOT_REGULAR);
}
