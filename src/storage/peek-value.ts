import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Table } from "./changes.js";
import { DATA_FILE } from "./file-names.js";
import { OfflineStorage } from "./offline-storage.js";

/**
 * Reads a value from the data file of a folder, and changes nothing in the folder. For values that decide whether the folder may be opened
 * at all: opening applies the log and then overwrites it, although another version of Rolltape may have written it in another form.
 *
 * @returns undefined if there is no such value, if it is only in the log, or if the file cannot be read, which opening the folder reports
 */
export function peekValue(directory: string, table: Table, key: string): Buffer | undefined {
  if (!existsSync(join(directory, DATA_FILE))) return undefined;
  try {
    using file = OfflineStorage.openCopy(directory, DATA_FILE);
    return file.get(table, Buffer.from(key));
  } catch {
    return undefined;
  }
}
