import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { permissions } from "./private-files.js";

/**
 * Creates a folder and its parents, for data that may be private. `mkdir` with `recursive` is not used because it hangs on file
 * systems that refuse new folders, such as /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  const failure = await create(folder);
  if (failure === undefined) return;
  const parent = dirname(folder);
  if (parent === folder || !isMissing(failure)) throw failure;
  // Another job may have made the parent since.
  if (!(await isFolder(parent))) await makeFolder(parent);
  const lasting = await create(folder);
  if (lasting !== undefined) throw lasting;
}

/** Returns why there is no folder; undefined if there is one. */
async function create(folder: string): Promise<Error | undefined> {
  try {
    await mkdir(folder, permissions.folder);
    return undefined;
  } catch (error) {
    return (await isFolder(folder)) ? undefined : (error as Error);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  return existing?.isDirectory() === true;
}

function isMissing(error: Error): boolean {
  return "code" in error && error.code === "ENOENT";
}
