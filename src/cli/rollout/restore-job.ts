import { existsSync } from "node:fs";
import type { EarlierWork, JobStore } from "../../job/job-store.js";
import type { BatchRow } from "../../job/schema.js";
import type { BatchFiles } from "./batch-files.js";
import type { JobSetup } from "./job-setup.js";

/**
 * Finishes the batches that earlier processes have written: frees their sessions.
 *
 * @returns those that the trainer has not consumed
 */
export async function finishBatches(
  { store, proxy }: Pick<JobSetup, "store" | "proxy">,
  { batches }: EarlierWork,
  files: BatchFiles,
): Promise<BatchRow[]> {
  for (const { number, file, freed } of batches) {
    if (freed === 0) await freeBatch(store, number, proxy.admin.deleteSession.bind(proxy.admin));
    if (existsSync(file)) await files.restore(file);
  }
  return batches.filter(({ trained }) => trained === 0);
}

/** Sessions that the proxy does not delete now are freed when they expire. */
async function freeBatch(store: JobStore, batch: number, free: (session: string) => Promise<unknown>): Promise<void> {
  for (const id of await store.sessionsOf(batch)) await free(id).catch(() => false);
  await store.freed(batch);
}
