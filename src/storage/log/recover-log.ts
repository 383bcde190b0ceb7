import { rmSync } from "node:fs";
import { join } from "node:path";
import { LmdbFile } from "../database.js";
import { damagedLogError } from "../errors.js";
import { DATA_FILE, LOG_FILES } from "../file-names.js";
import { requireSpace } from "../file-system.js";
import { type LogState, newLogState, storeLogState } from "./log-state.js";
import { mergeChanges } from "./merge-changes.js";
import { type LogSize, measureLog, readUnapplied } from "./read-log.js";

/** A folder whose data file has every change. */
export interface RecoveredLog {
  readonly state: LogState;
  /** Size of the changes that a crash had left in the log. */
  readonly applied: LogSize;
}

/**
 * Applies what a crash left in the log of a locked folder. The log then has nothing that the data file lacks. It is still open if there
 * was nothing to apply, so that a server can start on a full disk.
 *
 * @throws StorageError `storage_unusable` if the log is damaged
 */
export async function recoverLog(directory: string): Promise<RecoveredLog> {
  return withDataFile(directory, (file, path) => {
    const log = readUnapplied(directory, file);
    if (log.damage !== undefined) throw damagedLogError(directory, log.damage);
    const state = log.state ?? newLogState();
    const applied = measureLog(log);
    if (applied.records === 0) return { state, applied };
    const changes = mergeChanges(log.segments.flatMap(({ records }) => records));
    requireSpace(path, applied.bytes, changes.length);
    // One commit, so that a crash leaves the log as it was or closed.
    const closed = { log: state.log, applied: log.newest, isOpen: false };
    file.commit([...changes, storeLogState(closed)]);
    return { state: closed, applied };
  });
}

/** Closes a log whose changes are in the data file, and removes its files. */
export async function dropLog(directory: string, { log, applied, isOpen }: LogState): Promise<void> {
  if (isOpen !== false) {
    await withDataFile(directory, (file, path) => {
      requireSpace(path, 0, 1);
      file.commit([storeLogState({ log, applied, isOpen: false })]);
    });
  }
  removeLog(directory);
}

/** Removes the log files of a folder. The log must be closed. */
export function removeLog(directory: string): void {
  for (const name of LOG_FILES) rmSync(join(directory, name), { force: true });
}

/** Passes the data file to `use`. What is committed is on disk, with any durability of this start. */
async function withDataFile<Result>(directory: string, use: (file: LmdbFile, path: string) => Result): Promise<Result> {
  const path = join(directory, DATA_FILE);
  const file = new LmdbFile({ path, sync: true, readOnly: false });
  try {
    return use(file, path);
  } finally {
    await file.close();
  }
}
