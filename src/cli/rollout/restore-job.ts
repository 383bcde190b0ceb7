import { existsSync } from "node:fs";
import type { AdminClient } from "../../client/admin-client.js";
import type { JobJournal, WrittenBatchRecord } from "../../leasing/job-journal.js";
import type { RolloutController } from "../../rollout/controller/controller.js";
import type { BatchFiles } from "./batch-files.js";
import type { JobSetup } from "./job-setup.js";
import type { RolloutTally } from "./tally.js";

export interface RestoredJob {
  readonly controller: RolloutController;
  readonly tally: RolloutTally;
}

/** Submits the tasks of a job, except for those that ended in an earlier process: these get their results. */
export function submitTasks({ tasks, journal, proxy }: JobSetup, { controller, tally }: RestoredJob): void {
  for (const [index, { data, taskId }] of tasks.entries()) {
    const ended = journal?.ended.get(index);
    if (!ended) {
      controller.submit(data, { taskId });
      continue;
    }
    tally.acceptedBefore += ended.result.accepted.length;
    // The proxy may have another address since.
    const accepted = ended.result.accepted.map((episode) => ({ ...episode, url: proxy.url }));
    const result = { ...ended.result, accepted, taskId, data, version: ended.version };
    if (ended.consumed) tally.add({ ...result, index });
    controller.restore(ended.consumed ? "consumed" : result);
  }
}

/**
 * Finishes what an earlier process had begun: frees the sessions of written batches, and those that no batch wants.
 *
 * @returns the batches that the trainer has not consumed
 */
export async function finishBatches(
  { journal, leases, proxy }: JobSetup,
  batches: BatchFiles,
): Promise<WrittenBatchRecord[]> {
  if (!journal) return [];
  const untrained: WrittenBatchRecord[] = [];
  for (const record of journal.batches) {
    const freed = { ...record, sessionIds: [] };
    await deleteAll(proxy.admin, record.sessionIds);
    if (record.sessionIds.length > 0) await journal.updateBatch(freed);
    if (existsSync(record.file)) await batches.restore(record.file);
    if (!record.trained) untrained.push(freed);
  }
  // With rollout workers, the sessions are deleted meanwhile.
  if (!leases) await deleteUnwanted(proxy.admin, journal);
  return untrained;
}

async function deleteUnwanted(admin: AdminClient, journal: JobJournal): Promise<void> {
  const { unwanted } = journal.restored;
  await deleteAll(admin, unwanted);
  for (const id of unwanted) journal.removeUnwanted(id);
  // Sessions that the killed process had started but not stored yet.
  if (journal.isResumed) await admin.deleteLease(journal.jobId).catch(() => 0);
}

/** Sessions that the proxy does not delete now are freed when they expire. */
async function deleteAll(admin: AdminClient, sessionIds: readonly string[]): Promise<void> {
  for (const id of sessionIds) await admin.deleteSession(id).catch(() => false);
}
