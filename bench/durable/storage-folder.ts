import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectFileSystem } from "../../src/storage/file-system.js";

const FOLDER = "--directory=";

/** Where folders are made: `--directory=PATH`, or the folder for temporary files. */
const parent = process.argv.find((argument) => argument.startsWith(FOLDER))?.slice(FOLDER.length) ?? tmpdir();

/** Makes a folder, gives it to `work`, and removes it. */
export async function withFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const { inMemory } = await inspectFileSystem(parent);
  if (inMemory) throw new Error(`${parent} is in memory; name a folder on a disk with ${FOLDER}PATH`);
  const directory = mkdtempSync(join(parent, "rolltape-bench-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
