import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";

/** Rejects unless the path is a regular file. Opening a named pipe would wait for a writer, and keep the process from ending. */
export async function requireRegularFile(path: string): Promise<void> {
  assertRegularFile(await stat(path));
}

/** @throws Error if an entry of a folder is not a regular file */
export function assertRegularFile(entry: Stats): void {
  if (!entry.isFile()) throw new Error("it is not a regular file");
}
