import { statSync } from "node:fs";
import { join } from "node:path";
import type { Entry, Table } from "./changes.js";
import { LmdbFile, type Snapshot } from "./database.js";
import { unusableFolderError } from "./errors.js";
import { DATA_FILE } from "./file-names.js";
import { isReadOnly } from "./file-system.js";
import { isFolderOpen, refuseSpecialFiles } from "./folder.js";
import { type OfflineLog, OfflineStorage } from "./offline-storage.js";
import type { StorageSize } from "./storage-size.js";

/** Read access to a storage folder. */
export interface StorageReader {
  /** Undefined beside a server, which applies its log all the time. */
  readonly log: OfflineLog | undefined;
  get(table: Table, key: Uint8Array): Buffer | undefined;
  range(table: Table, prefix?: Uint8Array): Iterable<Entry>;
  readSize(): StorageSize;
  close(): void | Promise<void>;
}

/**
 * Opens a folder for reading. If a server has it open, reads go through LMDB, and all of them see the same commit.
 *
 * @throws StorageError `storage_unusable`
 */
export function openForReading(directory: string): { readonly reader: StorageReader; readonly isOpen: boolean } {
  refuseSpecialFiles(directory);
  if (!isFolderOpen(directory)) return { reader: OfflineStorage.open(directory), isOpen: false };
  if (isReadOnly(directory)) {
    // LMDB registers readers in its lock file. Without that, the server would overwrite pages that are being read.
    const reason = "is open in another process, and this mount is read-only. Run the command where the server runs";
    throw unusableFolderError(directory, reason);
  }
  return { reader: new LiveStorage(directory), isOpen: true };
}

class LiveStorage implements StorageReader {
  readonly log = undefined;
  readonly #path: string;
  readonly #file: LmdbFile;
  readonly #snapshot: Snapshot;

  constructor(directory: string) {
    this.#path = join(directory, DATA_FILE);
    this.#file = new LmdbFile({ path: this.#path, sync: true, readOnly: true });
    this.#snapshot = this.#file.takeSnapshot();
  }

  get(table: Table, key: Uint8Array): Buffer | undefined {
    return this.#snapshot.get(table, key);
  }

  range(table: Table, prefix: Uint8Array = new Uint8Array()): Iterable<Entry> {
    return this.#snapshot.range(table, prefix);
  }

  readSize(): StorageSize {
    return { fileBytes: statSync(this.#path).size, usedBytes: this.#snapshot.usedBytes };
  }

  close(): Promise<void> {
    this.#snapshot.release();
    return this.#file.close();
  }
}
