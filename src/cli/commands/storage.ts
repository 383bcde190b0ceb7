import { IDENTITY } from "../../server/storage/identity.js";
import { STATE } from "../../session/session-registry.js";
import type { DamagedParts } from "../../session/stored/damaged-parts.js";
import { reasonOf } from "../../session/stored/offline-sessions.js";
import { type Verified, verifySessions } from "../../session/stored/verify-sessions.js";
import {
  compactStorage,
  damagedFolderError,
  StorageError,
  StorageReader,
  unusableFolderError,
} from "../../storage/index.js";
import { countNoun } from "../count-noun.js";
import { EXIT_FAILURE } from "../exit.js";
import { formatBytes } from "../format-bytes.js";
import { describeStorage, type InspectedStorage, inspectStorage } from "../storage/inspect-storage.js";
import { ProblemList } from "../storage/problems.js";
import { SessionProgress } from "../storage/progress.js";
import { readServerFacts } from "../storage/read-facts.js";

/** `rolltape storage inspect`: prints what a storage folder has. */
export function inspectFolder(directory: string, { json = false }: { readonly json?: boolean }): void {
  using storage = StorageReader.open(directory);
  let inspected: InspectedStorage;
  try {
    inspected = inspectStorage(storage);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw damagedFolderError(directory, reasonOf(error), error);
  }
  process.stdout.write(json ? `${JSON.stringify(inspected)}\n` : describeStorage(inspected));
}

/** `rolltape storage verify`: reads every record of a storage folder and lists what is damaged. */
export function verifyFolder(directory: string, { all = false }: { readonly all?: boolean } = {}): void {
  using storage = StorageReader.open(directory);
  readServerFacts(storage, directory);
  const problems = new ProblemList((line) => process.stdout.write(line), { all });
  const verified = verify(storage, problems);
  problems.end("; --all lists them");
  process.stdout.write(`${describeVerified(verified)}: ${describeResult(problems.count, verified)}\n`);
  if (problems.count > 0) process.exitCode = EXIT_FAILURE;
}

/** `rolltape storage compact`: gives unused space of a storage folder back to the disk, and removes what is damaged. */
export async function compactFolder(
  directory: string,
  { leaveOutDamaged = false }: { readonly leaveOutDamaged?: boolean } = {},
): Promise<void> {
  using storage = StorageReader.openForChange(directory);
  readServerFacts(storage, directory);
  const problems = new ProblemList((line) => process.stderr.write(line));
  const verified = verify(storage, problems);
  problems.end("; `rolltape storage verify --all` lists them");
  const isDamaged = problems.count > 0;
  if (isDamaged && !leaveOutDamaged) {
    throw damagedFolderError(directory, `${describeResult(problems.count, verified)}, so the folder was not compacted`);
  }
  if (isDamaged) refuseLostServer(storage, verified.damaged);
  const { before, after, originals } = await compactStorage(storage, {
    isKept: (table, key) => verified.damaged.isIntact(table, key),
    keepOriginal: isDamaged,
  });
  const result = [`${formatBytes(before.fileBytes)} before, ${formatBytes(after.fileBytes)} after`];
  if (isDamaged) {
    result.push(`${countNoun(verified.damaged.sessions.size, "damaged session")} left out`);
    result.push(`the original files are now ${originals.join(", ")}`);
  }
  process.stdout.write(`${directory}: ${result.join("; ")}\n`);
}

function verify(storage: StorageReader, problems: ProblemList): Verified {
  const progress = new SessionProgress("verified");
  const report: Parameters<typeof verifySessions>[1] = (problem) => {
    progress.clear();
    problems.add(problem);
  };
  const verified = verifySessions(storage, report, (total) => progress.step(total));
  progress.clear();
  return verified;
}

function describeVerified({ sessions, records, heldExports }: Verified): string {
  return `${countNoun(sessions, "session")} with ${countNoun(records, "record")}, ${countNoun(heldExports, "held export")}`;
}

function describeResult(problems: number, { damaged }: Verified): string {
  if (problems === 0) return "intact";
  const unlisted = damaged.hasUnknown ? "; what the damaged parts of the log had is not known" : "";
  return `${countNoun(problems, "problem")}, ${countNoun(damaged.sessions.size, "damaged session")}${unlisted}`;
}

/**
 * Refuses a folder that no server can continue: without these values, message digests could not be compared, and session ids would be
 * given again.
 *
 * @throws StorageError `storage_unusable`
 */
function refuseLostServer(storage: StorageReader, damaged: DamagedParts): void {
  const intact = new Set<string>();
  for (const { key } of storage.scan("meta", () => undefined)) {
    if (damaged.isIntact("meta", key)) intact.add(key.toString());
  }
  const lost = [IDENTITY, STATE].filter((name) => !intact.has(name));
  if (lost.length === 0) return;
  const reason =
    `has lost values that a server needs to continue its sessions (${lost.join(", ")}). ` +
    "`rolltape export --storage` exports what can be read; start the server on another folder. Nothing was changed";
  throw unusableFolderError(storage.directory, reason);
}
