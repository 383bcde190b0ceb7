import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Checks that a file can be created in `folder` by creating one. Checking permissions is not enough, because the file
 * system may be read-only or may not support files.
 *
 * @throws the error of the file system if not
 */
export async function requireUsable(folder: string): Promise<void> {
  const probe = join(folder, `.rolltape-probe-${randomUUID()}`);
  const file = await open(probe, "wx");
  await file.close();
  await rm(probe, { force: true });
}

/**
 * Checks that `folder` can be opened for reading, which its sync needs.
 *
 * @throws an error that names the folder if not
 */
export async function requireReadable(folder: string): Promise<void> {
  try {
    await (await open(folder, "r")).close();
  } catch (error) {
    throw unreadable(folder, error);
  }
}

/** Returns the error of a folder that cannot be opened for reading. */
export function unreadable(folder: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`the folder ${folder} must be readable, because it is synced after a batch: ${why}`, { cause });
}
