import type { CallOptions } from "../../client/proxy-calls.js";
import type { WeightsOptions } from "../../client/weight-calls.js";
import type { Config } from "../../config/index.js";
import type { RolloutEngine, RolloutWorkflow } from "../contract.js";
import type { ConfiguredOptions, ControllerOptions } from "./controller-options.js";
import { RolloutBatch } from "./rollout-batch.js";
import type { RejectionCounts, TaskResult } from "./task.js";
import { type TaskRunner } from "./task-runner.js";
export interface SubmitOptions {
    /** Prefix of the session ids. Default `task-<index>`. */
    readonly taskId?: string | undefined;
    /** Default: the task's id. */
    readonly groupId?: string | undefined;
}
/** Counts of tasks, except that `rejectedEpisodes` counts episodes, including those of incomplete groups. */
export interface RolloutCounts {
    readonly submitted: number;
    readonly waiting: number;
    readonly running: number;
    /** Accepted tasks, including those consumed before a restart. */
    readonly accepted: number;
    /** Tasks that gave no trajectory. */
    readonly rejected: number;
    /** Accepted tasks of which some members were rejected. */
    readonly incomplete: number;
    readonly rejectedEpisodes: RejectionCounts;
}
/**
 * Loads new weights into the engine.
 *
 * If the engine does not report the version of its tokens, call `announce` while the engine is paused: between the last
 * token of the old weights and the first token of the new ones. Otherwise it need not be called.
 */
export type WeightUpdate = (announce: () => Promise<void>) => Promise<void>;
/** Weights that the proxy loads in all engine servers, with `POST /rl/weights`. */
export interface WeightsPath extends Pick<WeightsOptions, "exclude" | "onProgress"> {
    /** As the engine sees it. */
    readonly path: string;
}
/**
 * Runs tasks for a trainer. It starts them in the order in which they were submitted, as the limits on staleness allow,
 * and returns the accepted ones in batches. Each episode grants its own capacity, as its first step.
 */
export declare class RolloutController<Data = unknown> {
    #private;
    /**
     * @param workflow runs each task in this process; or what runs tasks elsewhere
     * @throws ControllerError `invalid_option`
     */
    constructor(workflow: RolloutWorkflow<Data> | TaskRunner<Data>, engine: RolloutEngine, input: ControllerOptions<Data> | ConfiguredOptions<Data> | Config);
    get version(): number;
    get counts(): RolloutCounts;
    /** Queues a task. Returns its index. */
    submit(data: Data, options?: SubmitOptions): number;
    /**
     * Adds a task that ended before a restart, in the order of submission. An accepted one goes into a batch, unless a batch
     * consumed it already.
     *
     * @param end its result, or `consumed`
     */
    restore(end: Omit<TaskResult<Data>, "index"> | "consumed"): number;
    /**
     * Runs tasks of a batch again, because their sessions were lost, and keeps the others for the next batch. The caller waits for
     * that batch instead.
     *
     * @param isLost returns true for a task that must run again
     */
    rerun(batch: RolloutBatch<Data>, isLost: (task: TaskResult<Data>) => boolean): void;
    /** Declares that no more tasks follow. The last batch may be smaller. */
    finish(): void;
    /**
     * Waits for the next `consumerBatchSize` accepted tasks. Returns undefined after the last batch.
     *
     * Later tasks may start only after {@link setVersion}. The signal ends the wait, not the tasks. Rejects if the
     * initial version cannot be announced to the proxy.
     */
    waitBatch(signal?: AbortSignal): Promise<RolloutBatch<Data> | undefined>;
    /** Notes that the sessions of a batch were lost. Its tasks then count as rejected, and others may start instead. */
    lose(batch: RolloutBatch<Data>): void;
    /**
     * Notes that the trainer took a batch and raises the version by `versions`. Call it before {@link setVersion} if that
     * is not 1: with 0, for example, if the trainer collects gradients over several batches.
     */
    noteStep(versions: number): void;
    /** Starts no more tasks. Running tasks go on. */
    pause(): void;
    resume(): void;
    /**
     * Sets a new weight version. With a path, the proxy loads the weights in all engine servers. Otherwise `update` loads them
     * into the engine, and the version is announced to the proxy.
     *
     * No task starts meanwhile. The engine may cut generations in flight, which the proxy then resumes. If this fails,
     * the earlier version stays in effect.
     */
    setVersion(version: number, update?: WeightUpdate | WeightsPath, options?: CallOptions): Promise<void>;
    /**
     * Aborts running tasks and drops waiting ones. Accepted tasks can still be taken as batches. Resolves when every
     * episode has ended.
     */
    stop(): Promise<void>;
}
