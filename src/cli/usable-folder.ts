import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Resolves if files can be made in `folder`. Rights alone do not say so: the file system may be read-only, or be none for files.
 *
 * @throws what the attempt throws
 */
export async function requireUsable(folder: string): Promise<void> {
  const probe = join(folder, `.rolltape-probe-${randomUUID()}`);
  const file = await open(probe, "wx");
  await file.close();
  await rm(probe, { force: true });
}
