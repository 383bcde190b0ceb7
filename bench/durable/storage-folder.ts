import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectFileSystem } from "../../src/storage/file-system.js";

const FOLDER = "--directory=";

/** Where folders are made: `--directory=PATH`, or the folder for temporary files. */
export const STORAGE_PARENT =
  process.argv.find((argument) => argument.startsWith(FOLDER))?.slice(FOLDER.length) ?? tmpdir();

/** Makes a folder, gives it to `work`, and removes it. */
export async function withFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const { inMemory } = await inspectFileSystem(STORAGE_PARENT);
  if (inMemory) throw new Error(`${STORAGE_PARENT} is in memory; name a folder on a disk with ${FOLDER}PATH`);
  const directory = mkdtempSync(join(STORAGE_PARENT, "rolltape-bench-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
