import { existsSync } from "node:fs";
import type { EarlierWork } from "../../job/job-store.js";
import type { CompleteBatchRow } from "../../job/schema.js";
import type { BatchFiles } from "./batch-files.js";
import type { JobSetup } from "./job-setup.js";

/**
 * Finishes the batches that earlier processes have written: frees their sessions, unless the proxy keeps them.
 *
 * @returns those that the trainer has not consumed
 */
export async function finishBatches(
  { store, proxy, options }: Pick<JobSetup, "store" | "proxy" | "options">,
  { batches }: EarlierWork,
  files: BatchFiles,
): Promise<CompleteBatchRow[]> {
  for (const { number, file, freed } of batches) {
    if (freed === 0) {
      if (!options.keepSessions) await deleteSessions(await store.sessionsOf(number), proxy);
      await store.freed(number);
    }
    if (existsSync(file)) await files.restore(file);
  }
  return batches.filter(({ trained }) => trained === 0);
}

/** Sessions that the proxy does not delete now are freed when they expire. */
async function deleteSessions(sessions: readonly string[], { admin }: JobSetup["proxy"]): Promise<void> {
  for (const id of sessions) await admin.deleteSession(id).catch(() => false);
}
