import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";

/** Rejects unless the path is a regular file. Opening a named pipe would wait for a writer, and keep the process from ending. */
export async function requireRegularFile(path: string): Promise<void> {
  assertRegularFile(await stat(path));
}

/** Reads a text file. Rejects if it is not a regular file or has more bytes. */
export async function readRegularFile(path: string, maxBytes: number): Promise<string> {
  const entry = await stat(path);
  assertRegularFile(entry);
  if (entry.size > maxBytes) throw new Error(`it has ${entry.size} bytes`);
  return await readFile(path, "utf8");
}

/** @throws Error if an entry of a folder is not a regular file */
export function assertRegularFile(entry: Stats): void {
  if (!entry.isFile()) throw new Error("it is not a regular file");
}
