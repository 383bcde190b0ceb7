import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Creates a folder with its parents. Unlike `mkdir` with `recursive`, it does not hang on file systems without folders to make, such as /proc. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = dirname(folder);
    if (parent === folder || (await isFolder(parent)) || !isMissing(error)) throw error;
    await makeFolder(parent);
    await mkdir(folder);
  }
}

async function isFolder(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => undefined);
  return there?.isDirectory() ?? false;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
