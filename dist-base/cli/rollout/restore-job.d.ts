import type { WrittenBatchRecord } from "../../leasing/job-journal.js";
import type { RolloutController } from "../../rollout/controller/controller.js";
import type { BatchFiles } from "./batch-files.js";
import type { JobSetup } from "./job-setup.js";
import type { RolloutTally } from "./tally.js";
export interface RestoredJob {
    readonly controller: RolloutController;
    readonly tally: RolloutTally;
}
/** Submits the tasks of a job, except for those that ended in an earlier process: these get their results. */
export declare function submitTasks({ tasks, journal, proxy }: JobSetup, { controller, tally }: RestoredJob): void;
/**
 * Finishes what an earlier process had begun: frees the sessions of written batches, and those that no batch wants.
 *
 * @returns the batches that the trainer has not consumed
 */
export declare function finishBatches({ journal, leases, proxy }: JobSetup, batches: BatchFiles): Promise<WrittenBatchRecord[]>;
