import { existsSync } from "node:fs";
import type { EarlierWork } from "../../job/job-store.js";
import type { CompleteBatchRow } from "../../job/schema.js";
import type { BatchFiles } from "./batch-files.js";
import type { JobSetup } from "./job-setup.js";

/**
 * Finishes the batches that earlier processes have written: archives those of this machine, and frees their sessions, unless the proxy keeps
 * them.
 *
 * @returns those that the trainer has not consumed
 */
export async function finishBatches(
  job: Pick<JobSetup, "store" | "proxy" | "options" | "archive">,
  { batches }: EarlierWork,
  files: BatchFiles,
): Promise<CompleteBatchRow[]> {
  const { store, proxy, options, archive } = job;
  for (const batch of batches) {
    const { number, file, freed, outbox } = batch;
    if (outbox !== null && outbox === archive?.id) await archiveBatch(job, batch);
    if (freed === 0) {
      if (!options.keepSessions) await deleteSessions(await store.sessionsOf(number), proxy);
      await store.freed(number);
    }
    if (existsSync(file)) await files.restore(file);
  }
  return batches.filter(({ trained }) => trained === 0);
}

/** Puts the files of a stored batch into the outbox, if the job has an archive. If that fails, the next process of the job tries again. */
export async function archiveBatch(
  { archive, store }: Pick<JobSetup, "archive" | "store">,
  { number, file, sessions_file }: Pick<CompleteBatchRow, "number" | "file" | "sessions_file">,
): Promise<void> {
  if (await archive?.add(sessions_file === null ? [file] : [file, sessions_file])) await store.inOutbox(number);
}

/** Sessions that the proxy does not delete now are freed when they expire. */
async function deleteSessions(sessions: readonly string[], { admin }: JobSetup["proxy"]): Promise<void> {
  for (const id of sessions) await admin.deleteSession(id).catch(() => false);
}
