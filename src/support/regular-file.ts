import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** Opening a named pipe with this flag does not wait for a writer. */
const READ_UNBLOCKED = constants.O_RDONLY | constants.O_NONBLOCK;

/** Rejects unless the path is a regular file. Opening a named pipe would wait for a writer, and keep the process from ending. */
export async function requireRegularFile(path: string): Promise<void> {
  assertRegularFile(await stat(path));
}

/** Opens a file to read it. Rejects if it is not a regular file. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, READ_UNBLOCKED);
  try {
    // Checks the opened file, because the path may name another file by now.
    assertRegularFile(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Like {@link openRegularFile}, but synchronous, and also to write.
 *
 * @param flags of `open`, such as `constants.O_WRONLY`
 */
export function openRegularFileSync(path: string, flags: number): number {
  const file = openSync(path, flags | constants.O_NONBLOCK);
  try {
    assertRegularFile(fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a text file. Rejects if it is not a regular file or has more bytes. */
export async function readRegularFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  await using file = await openRegularFile(path);
  assertReadable(await file.stat(), maxBytes);
  return await file.readFile("utf8");
}

/** Like {@link readRegularFile}, but synchronous. */
export function readRegularFileSync(path: string, maxBytes = Number.POSITIVE_INFINITY): string {
  const file = openRegularFileSync(path, constants.O_RDONLY);
  try {
    assertReadable(fstatSync(file), maxBytes);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function assertReadable(entry: Stats, maxBytes: number): void {
  assertRegularFile(entry);
  if (entry.size > maxBytes) throw new Error(`it has ${entry.size} bytes; at most ${maxBytes} are read`);
}

/** @throws Error if an entry of a folder is not a regular file */
export function assertRegularFile(entry: Stats): void {
  if (!entry.isFile()) throw new Error("it is not a regular file");
}
