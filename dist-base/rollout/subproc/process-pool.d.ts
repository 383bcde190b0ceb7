import type { WorkerTask } from "./messages.js";
export interface ProcessPoolOptions {
    /** Maximum number of concurrent processes: `rollout.agent.subproc_max_workers`. */
    readonly maxWorkers: number;
    /** Maximum seconds of one task, after which its process is killed. Default: no limit. */
    readonly timeoutSeconds?: number | undefined;
    /**
     * Node arguments for worker processes, such as `--import tsx`. They inherit the loaders of this process in any case.
     */
    readonly nodeArguments?: readonly string[] | undefined;
}
/**
 * A limited number of processes that run agents.
 *
 * Worker processes start when they are needed and are reused. A worker that crashed, was killed, or still has timers,
 * requests or processes of its agent is replaced for the next task.
 */
export declare class ProcessPool implements AsyncDisposable {
    #private;
    constructor(options: ProcessPoolOptions);
    /** Runs a task in a worker process that is idle. The process is killed when the signal aborts. */
    run(task: WorkerTask, signal: AbortSignal): Promise<unknown>;
    /**
     * Waits for a free slot, then calls `work`, which may start one process. `taskSignal` aborts when the task is
     * aborted, exceeds its time, or the pool is closed.
     */
    occupy<T>(signal: AbortSignal, work: (taskSignal: AbortSignal) => Promise<T>): Promise<T>;
    /** Kills the workers. Running and waiting tasks are rejected with `pool_closed`. */
    close(): void;
    [Symbol.asyncDispose](): Promise<void>;
}
