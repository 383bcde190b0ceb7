import { type BatchOptions, batchOptionsSchema } from "../../session/batch/batch-options.js";
import { refuseConflicts } from "../../session/batch/option-conflicts.js";
import type { Session } from "../../session/session.js";
import type { Split } from "../../session/session-summary.js";
import { type OfflineSession, readHeads, readOffline, reasonOf } from "../../session/stored/offline-sessions.js";
import type { StoredProblem } from "../../session/stored/stored-problem.js";
import { StorageReader } from "../../storage/index.js";
import { StorageCommandError } from "../storage/errors.js";
import { SessionProgress } from "../storage/progress.js";
import { readServerFacts } from "../storage/read-facts.js";
import { readState } from "../storage/session-state.js";
import type { ExportOptions } from "./export-options.js";
import { describingConflicts, type WrittenExport, writeExport } from "./write-export.js";

/** The result of an export from a folder. */
export interface StorageExport extends WrittenExport {
  /** Damaged parts, which the export leaves out. */
  readonly problems: readonly StoredProblem[];
}

/** Options of an export from a folder. */
export interface StorageExportOptions extends Omit<ExportOptions, "from"> {
  readonly storage: string;
}

/**
 * Writes the sessions of a folder to a file, as a server with that folder would export them. Changes nothing in the folder. Sessions
 * that cannot be read are left out.
 *
 * @throws StorageCommandError if there is nothing to export, or the options do not fit the sessions
 */
export async function exportStorage(options: StorageExportOptions): Promise<StorageExport> {
  const { storage: directory, out, sessions: ids, state: states, split = "train", ...rest } = options;
  const batchOptions: BatchOptions = batchOptionsSchema.parse(rest);
  using storage = StorageReader.open(directory);
  const problems = storage.damage.map((reason): StoredProblem => ({ what: "the log", reason }));
  return describingConflicts(async () => {
    refuseConflicts(batchOptions);
    const { origin } = readServerFacts(storage, directory);
    const heads = readHeads(storage, (problem) => problems.push(problem));
    const chosen = ids ? chooseById(heads, ids, split, problems.length > 0) : chooseAll(heads, states, split);
    const progress = new SessionProgress("read");
    const sessions = chosen.flatMap((session) => {
      progress.step(chosen.length);
      return load(storage, session, problems) ?? [];
    });
    progress.clear();
    if (sessions.length === 0) throw nothingLeft(directory, problems);
    return { ...(await writeExport(out, sessions, batchOptions, origin)), problems };
  });
}

/** Reads a session. If it is damaged, adds the problem and returns undefined. */
function load(storage: StorageReader, session: OfflineSession, problems: StoredProblem[]): Session | undefined {
  try {
    return readOffline(storage, session);
  } catch (error) {
    problems.push({ what: `session ${session.head.summary.id}`, reason: reasonOf(error) });
    return undefined;
  }
}

function chooseAll(heads: readonly OfflineSession[], states: ExportOptions["state"], split: Split): OfflineSession[] {
  return heads.filter(({ head }) => {
    const { freed, interactionCount } = head.summary;
    const isChosen = head.summary.split === split && (states?.includes(readState(head)) ?? true);
    return !freed && interactionCount > 0 && isChosen;
  });
}

function chooseById(
  heads: readonly OfflineSession[],
  ids: readonly string[],
  split: Split,
  isDamaged: boolean,
): OfflineSession[] {
  const byId = new Map(heads.map((session) => [session.head.summary.id, session]));
  return ids.map((id) => {
    const session = byId.get(id);
    const hint = isDamaged ? ". The folder is damaged; see `rolltape storage verify`" : "";
    const refuse = (reason: string) => new StorageCommandError("invalid_arguments", `--sessions: ${reason}`);
    if (!session) throw refuse(`the folder has no session ${id}${hint}`);
    const { summary } = session.head;
    if (summary.split !== split)
      throw refuse(`the split of session ${id} is ${summary.split}; set --split ${summary.split}`);
    if (summary.freed) throw refuse(`the data of session ${id} was freed; it is ${readState(session.head)}`);
    return session;
  });
}

const STATES_HINT = "`rolltape storage inspect` shows how many sessions the folder has, by state.";

function nothingLeft(directory: string, problems: readonly StoredProblem[]): StorageCommandError {
  return new StorageCommandError(
    "nothing_to_export",
    `No session to export: none of the chosen sessions in ${directory} has data${nothingReadable(problems)}. ${STATES_HINT}`,
  );
}

/** Returns the rest of a sentence that says that there is no session; empty if nothing is damaged. */
export function nothingReadable([first]: readonly StoredProblem[]): string {
  return first ? ` that can be read. First problem: ${first.what}: ${first.reason}` : "";
}
