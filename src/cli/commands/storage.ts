import { reasonOf, type StoredProblem } from "../../session/stored/offline-sessions.js";
import { verifySessions } from "../../session/stored/verify-sessions.js";
import { compactStorage, OfflineStorage, openForReading, StorageError } from "../../storage/index.js";
import { EXIT_FAILURE } from "../exit.js";
import { formatBytes } from "../format-bytes.js";
import { describeStorage, type InspectedStorage, inspectStorage } from "../storage/inspect-storage.js";
import { describeProblem } from "../storage/problems.js";
import { SessionProgress } from "../storage/progress.js";
import { readServerFacts } from "../storage/read-facts.js";

/** `rolltape storage inspect`: prints what a storage folder has. */
export async function inspectFolder(directory: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const { reader, isOpen } = openForReading(directory);
  let inspected: InspectedStorage;
  try {
    inspected = inspectStorage(directory, reader, isOpen);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const advice = "`rolltape storage verify` lists what is lost";
    throw new StorageError("storage_failed", `${directory} is damaged: ${reasonOf(error)}. ${advice}.`, {
      cause: error,
    });
  } finally {
    await reader.close();
  }
  process.stdout.write(json ? `${JSON.stringify(inspected)}\n` : describeStorage(inspected));
}

/** `rolltape storage verify`: reads every record of a storage folder and lists what is damaged. */
export function verifyFolder(directory: string): void {
  using storage = OfflineStorage.open(directory);
  readServerFacts(storage, directory);
  let problems = 0;
  const progress = new SessionProgress("verified");
  const report = (problem: StoredProblem) => {
    problems++;
    progress.clear();
    process.stdout.write(describeProblem(problem));
  };
  const { sessions, records, leases } = verifySessions(storage, report, (total) => progress.step(total));
  progress.clear();
  const read = `${sessions} sessions with ${records} records, ${leases} held exports`;
  process.stdout.write(`${read}: ${problems === 0 ? "intact" : `${problems} damaged`}\n`);
  if (problems > 0) process.exitCode = EXIT_FAILURE;
}

/** `rolltape storage compact`: gives unused space of a storage folder back to the disk. */
export async function compactFolder(directory: string): Promise<void> {
  const { before, after } = await compactStorage(directory);
  process.stdout.write(
    `${directory}: ${formatBytes(before.fileBytes)} before, ${formatBytes(after.fileBytes)} after\n`,
  );
}
