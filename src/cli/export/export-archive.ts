import { type BatchOptions, batchOptionsSchema } from "../../session/batch/batch-options.js";
import { mergeOrigins } from "../../session/batch/merge-origins.js";
import { refuseConflicts } from "../../session/batch/option-conflicts.js";
import { DamagedSessionError } from "../../session/stored/damaged-session-error.js";
import { SessionsFileError } from "../../session/stored/file/errors.js";
import type { FileSession } from "../../session/stored/file/read-sessions.js";
import { reasonOf } from "../../session/stored/offline-sessions.js";
import type { StoredProblem } from "../../session/stored/stored-problem.js";
import { ObjectStore } from "../../storage/archive/object-store.js";
import { type ArchivedSession, listArchived, readArchived } from "../archive/archived-sessions.js";
import { StorageCommandError } from "../storage/errors.js";
import { SessionProgress } from "../storage/progress.js";
import { nothingReadable, type StorageExport, type StorageExportOptions } from "./export-storage.js";
import { describingConflicts, writeExport } from "./write-export.js";

/** Files that are read at the same time. */
const READS_AT_ONCE = 8;

/**
 * Writes the archived sessions of an S3 prefix to a file, as their servers would export them. Sessions that are damaged are left out.
 *
 * @throws StorageCommandError if there is nothing to export, or the options do not fit the sessions
 * @throws ArchiveError if the store fails
 */
export async function exportArchive(options: StorageExportOptions): Promise<StorageExport> {
  const { storage: address, out, sessions: ids, state: states, split = "train", ...rest } = options;
  const batchOptions: BatchOptions = batchOptionsSchema.parse(rest);
  if (states && !states.includes("ended"))
    throw new StorageCommandError("invalid_arguments", "--state: every session of an archive counts as ended");
  const store = await ObjectStore.open(address);
  try {
    return await describingConflicts(async () => {
      refuseConflicts(batchOptions);
      const found: ArchivedSession[] = [];
      for await (const session of listArchived(store)) found.push(session);
      const chosen = ids ? chooseById(address, found, ids) : found;
      const problems: StoredProblem[] = [];
      const read = await readAll(store, chosen, problems);
      const other = ids && read.find(({ session }) => session.split !== split);
      if (other) throw wrongSplit(other);
      const sessions = read.filter(({ session }) => session.split === split);
      if (sessions.length === 0) {
        const message = `No session to export: ${address} has none of them${nothingReadable(problems)}.`;
        throw new StorageCommandError("nothing_to_export", message);
      }
      const origins = new Map(sessions.flatMap(({ origin }) => (origin ? [[JSON.stringify(origin), origin]] : [])));
      const all = sessions.map(({ session }) => session);
      return { ...(await writeExport(out, all, batchOptions, mergeOrigins([...origins.values()]))), problems };
    });
  } finally {
    store.close();
  }
}

function chooseById(address: string, found: readonly ArchivedSession[], ids: readonly string[]): ArchivedSession[] {
  const byId = new Map<string, ArchivedSession[]>();
  for (const session of found) byId.set(session.id, [...(byId.get(session.id) ?? []), session]);
  return ids.map((id) => {
    const [session, another] = byId.get(id) ?? [];
    const refuse = (reason: string) => new StorageCommandError("invalid_arguments", `--sessions: ${reason}`);
    if (!session) throw refuse(`${address} has no session ${id}`);
    if (another) throw refuse(`${address} has several sessions ${id}, of different servers: use a longer prefix`);
    return session;
  });
}

function wrongSplit({ session: { id, split } }: FileSession): StorageCommandError {
  const message = `--sessions: the split of session ${id} is ${split}; set --split ${split}`;
  return new StorageCommandError("invalid_arguments", message);
}

/** Reads sessions, several at a time, and returns them in the given order. Adds a problem for each that is damaged. */
async function readAll(
  store: ObjectStore,
  chosen: readonly ArchivedSession[],
  problems: StoredProblem[],
): Promise<FileSession[]> {
  const progress = new SessionProgress("read");
  const read: FileSession[][] = chosen.map(() => []);
  const next = chosen.entries();
  const work = async () => {
    for (const [index, object] of next) {
      try {
        read[index] = await readArchived(store, object);
      } catch (error) {
        if (!(error instanceof SessionsFileError || error instanceof DamagedSessionError)) throw error;
        problems.push({ what: `session ${object.id}`, reason: reasonOf(error) });
      }
      progress.step(chosen.length);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, work));
  progress.clear();
  return read.flat();
}
