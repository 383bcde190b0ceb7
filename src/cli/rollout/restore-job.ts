import { existsSync } from "node:fs";
import type { EarlierWork } from "../../job/job-store.js";
import type { CompleteBatchRow } from "../../job/schema.js";
import type { BatchFiles } from "./batch-files.js";
import type { JobSetup } from "./job-setup.js";
import type { SessionsFiles } from "./sessions-files.js";

/** The files that a job writes. */
export interface WrittenFiles {
  readonly batches: BatchFiles;
  readonly sessionsFiles: SessionsFiles;
}

/**
 * Finishes the batches that earlier processes have written: archives those of this machine, and frees their sessions, unless the proxy keeps
 * them.
 *
 * @returns those that the trainer has not consumed
 */
export async function finishBatches(
  job: Pick<JobSetup, "store" | "proxy" | "options" | "archive">,
  { batches }: EarlierWork,
  written: WrittenFiles,
): Promise<CompleteBatchRow[]> {
  const { store, proxy, options, archive } = job;
  for (const { number, file, freed, outbox } of batches) {
    if (outbox !== null && outbox === archive?.id) await archiveBatch(job, { number, file }, written);
    if (freed === 0) {
      if (!options.keepSessions) await deleteSessions(await store.sessionsOf(number), proxy);
      await store.freed(number);
    }
    if (existsSync(file)) await written.batches.restore(file);
  }
  return batches.filter(({ trained }) => trained === 0);
}

/** Has the files of a stored batch uploaded, if the job has an archive. */
export async function archiveBatch(
  { archive, store }: Pick<JobSetup, "archive" | "store">,
  batch: { readonly number: number; readonly file: string },
  { batches, sessionsFiles }: WrittenFiles,
): Promise<void> {
  if (archive === undefined) return;
  const files = [batch.file, sessionsFiles.pathOf(batch, batches) ?? []].flat();
  await archive.add(files.filter((file) => existsSync(file)));
  await store.inOutbox(batch.number);
}

/** Sessions that the proxy does not delete now are freed when they expire. */
async function deleteSessions(sessions: readonly string[], { admin }: JobSetup["proxy"]): Promise<void> {
  for (const id of sessions) await admin.deleteSession(id).catch(() => false);
}
