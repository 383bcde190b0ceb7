import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "../rollout/contract.js";
import { type RunningTask, type TaskRunner } from "../rollout/controller/task-runner.js";
import type { LeaseRecords } from "./lease-records.js";
/**
 * Runs tasks in this process and stores their results. A session counts as unwanted until its episode is accepted, so that the
 * sessions of a process that is killed are deleted by the next one, which finds sessions that were not stored yet by the job's id.
 */
export declare class JournaledRunner implements TaskRunner {
    #private;
    /** @param options.leaseId the id of the job, as the lease of its sessions */
    constructor(workflow: RolloutWorkflow, engine: RolloutEngine, records: LeaseRecords, { rejectedSessions, leaseId }: Pick<EpisodeOptions, "rejectedSessions" | "leaseId">);
    runTask(task: RunningTask, signal: AbortSignal): Promise<EpisodeResult>;
}
