import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "../contract.js";
/** A task that a controller has started. */
export interface RunningTask<Data = unknown> {
    /** Position in the order of submission, from 0. */
    readonly index: number;
    readonly data: Data;
    readonly taskId: string;
    readonly groupId: string;
    /** The weight version when the task began. */
    readonly version: number;
}
/** Runs the tasks of a controller: in this process, or on rollout workers. */
export interface TaskRunner<Data = unknown> {
    /**
     * Runs one task. Never rejects: an error is a rejected episode in the result.
     *
     * @param signal aborts when the controller is stopped
     */
    runTask(task: RunningTask<Data>, signal: AbortSignal): Promise<EpisodeResult>;
}
/** Runs tasks in this process. Exports of their sessions are deferred to the batch. */
export declare class WorkflowRunner<Data> implements TaskRunner<Data> {
    #private;
    constructor(workflow: RolloutWorkflow<Data>, engine: RolloutEngine, options?: Pick<EpisodeOptions, "onSession" | "rejectedSessions" | "leaseId">);
    runTask({ data, taskId, groupId }: RunningTask<Data>, signal: AbortSignal): Promise<EpisodeResult>;
}
