import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Checks that a file can be made in `folder` by making one. Permissions alone are not enough: the file system may be
 * read-only, or take no files at all.
 *
 * @throws the error of the file system if not
 */
export async function requireUsable(folder: string): Promise<void> {
  const probe = join(folder, `.rolltape-probe-${randomUUID()}`);
  const file = await open(probe, "wx");
  await file.close();
  await rm(probe, { force: true });
}
