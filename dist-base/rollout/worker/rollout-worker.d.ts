import type { EpisodeResult, RolloutEngine, RolloutWorkflow } from "../contract.js";
import type { LeasedTask } from "../lease/protocol.js";
import type { ControllerClient } from "./controller-client.js";
export interface RolloutWorkerOptions {
    readonly client: ControllerClient;
    readonly workerId: string;
    readonly name: string;
    readonly jobId: string;
    readonly workflow: RolloutWorkflow;
    readonly engine: RolloutEngine;
    /** Maximum number of tasks that run at once. */
    readonly concurrency: number;
    readonly leaseSeconds: number;
    readonly rejectedSessions?: "delete" | "keep" | undefined;
    /** Is called when a task has ended here. */
    readonly onEnd?: ((task: LeasedTask, result: EpisodeResult, outcome: RunOutcome) => void) | undefined;
}
/**
 * - `accepted`: the report counts.
 * - `refused`: it came too late.
 * - `lost`: the lease was lost while the task ran.
 * - `returned`: the worker was stopped.
 */
export type RunOutcome = "accepted" | "refused" | "lost" | "returned";
/**
 * Why a worker ended: `done`, the job has no more tasks; `stopped`, {@link RolloutWorker.stop} was called; `job_changed`, the
 * controller runs another job now.
 */
export type WorkerEnd = "done" | "stopped" | "job_changed";
/**
 * Runs tasks that a controller leases to it.
 *
 * A result is kept until the controller has accepted or refused it, also over restarts of the controller. Sessions of results that do
 * not count are deleted.
 */
export declare class RolloutWorker {
    #private;
    constructor(options: RolloutWorkerOptions);
    /** Number of tasks that run here. */
    get running(): number;
    /**
     * Runs tasks until the job is done or the worker is stopped.
     *
     * @throws RolloutWorkerError if the controller is given up
     */
    run(): Promise<WorkerEnd>;
    /** Aborts running tasks and gives their leases back. */
    stop(): void;
}
