import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { permissions } from "./private-files.js";

/**
 * Creates a folder and its parents, for data that may be private. `mkdir` with `recursive` is not used because it hangs on file
 * systems that refuse new folders, such as /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, permissions.folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = dirname(folder);
    if (parent === folder || (await isFolder(parent)) || !isMissing(error)) throw error;
    await makeFolder(parent);
    // Another job may make the same folders at the same time.
    await mkdir(folder, permissions.folder).catch(async (failure: unknown) => {
      if (!(await isFolder(folder))) throw failure;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  return existing?.isDirectory() === true;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
