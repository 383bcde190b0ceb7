import { resolve } from "node:path";
import { type BatchOptionsInput, batchOptionsSchema } from "../../session/batch/batch-options.js";
import { mergeOrigins } from "../../session/batch/merge-origins.js";
import { refuseConflicts } from "../../session/batch/option-conflicts.js";
import { type FileSession, readSessions } from "../../session/stored/file/read-sessions.js";
import type { FileAccess, OpenFile } from "../../support/file-access.js";
import { StorageCommandError } from "../storage/errors.js";
import { SessionProgress } from "../storage/progress.js";
import { readState } from "../storage/session-state.js";
import type { ExportOptions } from "./export-options.js";
import { readChunks } from "./read-chunks.js";
import { describingConflicts, type WrittenExport, writeExport } from "./write-export.js";

/** The options of an export from a file, besides those of its batch. */
export interface FileExportOptions extends Pick<ExportOptions, "out" | "sessions" | "state" | "split"> {
  /** Sessions that the file must have, because they have rows in the batch beside it. */
  readonly expected?: readonly string[];
  readonly files: FileAccess;
}

/**
 * Writes the sessions of a sessions file as a batch, as their server would export them.
 *
 * @throws StorageCommandError if there is nothing to export, or the options do not fit the sessions
 * @throws SessionsFileError if the file cannot be read
 */
export async function exportSessionsFile(
  file: string,
  { out, sessions: ids, state: states, split, expected = [], files }: FileExportOptions,
  options: BatchOptionsInput,
): Promise<WrittenExport> {
  const batchOptions = batchOptionsSchema.parse(options);
  if (resolve(out) === resolve(file)) throw replacesSessions(file);
  return describingConflicts(async () => {
    refuseConflicts(batchOptions);
    const read = await readFile(await files.open(file), file, { ids, missing: new Set(expected) });
    const chosen = ids
      ? inOrder(file, read, ids)
      : read.filter(({ session }) => isIn(states, session) && (split === undefined || session.split === split));
    const origins = new Set(chosen.flatMap(({ origin }) => origin ?? []));
    if (chosen.length === 0)
      throw new StorageCommandError(
        "nothing_to_export",
        `No session to export: ${file} has none of the chosen sessions.`,
      );
    return writeExport(
      out,
      chosen.map(({ session }) => session),
      batchOptions,
      mergeOrigins([...origins]),
    );
  });
}

/**
 * Reads the chosen sessions of a file.
 *
 * @param ids Undefined: all sessions
 * @param missing sessions that the file must have. Those that it has are removed from the set
 */
async function readFile(
  opened: OpenFile,
  file: string,
  { ids, missing }: { readonly ids: readonly string[] | undefined; readonly missing: Set<string> },
): Promise<FileSession[]> {
  const wanted = ids && new Set(ids);
  const isChosen = (id: string) => {
    missing.delete(id);
    return wanted?.has(id) ?? true;
  };
  const progress = new SessionProgress("read");
  const read: FileSession[] = [];
  for await (const session of readSessions(readChunks(opened), file, isChosen)) {
    progress.step();
    read.push(session);
  }
  progress.clear();
  const [absent] = missing;
  if (absent === undefined) return read;
  const message = `${file} does not belong to this batch: it has no session ${absent}. Remove it, or name it with --from to export its sessions`;
  throw new StorageCommandError("invalid_arguments", message);
}

/** The records in a sessions file exist nowhere else. */
function replacesSessions(file: string): StorageCommandError {
  const message = `--out ${file} must not be the sessions file that is read: the batch would replace it`;
  return new StorageCommandError("invalid_arguments", message);
}

function isIn(states: ExportOptions["state"], session: FileSession["session"]): boolean {
  return states?.includes(readState({ summary: session.summarize() })) ?? true;
}

function inOrder(file: string, sessions: readonly FileSession[], ids: readonly string[]): FileSession[] {
  const byId = new Map(sessions.map((each) => [each.session.id, each]));
  return ids.map((id) => {
    const found = byId.get(id);
    if (found) return found;
    throw new StorageCommandError("invalid_arguments", `--sessions: ${file} has no session ${id}`);
  });
}
