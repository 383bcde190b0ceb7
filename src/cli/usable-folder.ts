import { randomUUID } from "node:crypto";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

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

/** Makes a folder and those above it. Node's own recursive mkdir never returns in /proc. */
export async function makeFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder && basename(folder) !== "..") await makeFolder(parent);
  await mkdir(folder).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}
