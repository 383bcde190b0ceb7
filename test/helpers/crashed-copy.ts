import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageReader } from "../../src/storage/index.js";

/** Reads a storage folder as a server would that starts after a crash of now. */
export function readAsAfterCrash<Result>(directory: string, read: (storage: StorageReader) => Result): Result {
  const copy = mkdtempSync(join(tmpdir(), "rolltape-crashed-"));
  try {
    cpSync(directory, copy, { recursive: true });
    using storage = StorageReader.open(copy);
    return read(storage);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
