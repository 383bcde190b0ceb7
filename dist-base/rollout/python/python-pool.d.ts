import type { PythonTask } from "./messages.js";
import { type PythonWorkerOptions } from "./python-worker.js";
export interface PythonPoolOptions extends Omit<PythonWorkerOptions, "onChange"> {
    readonly maxWorkers: number;
    /** Maximum number of tasks that an asynchronous agent runs at once in a process. */
    readonly tasksPerWorker: number;
    readonly timeoutSeconds?: number | undefined;
}
/**
 * The processes of one Python agent. They start when they are needed and are reused.
 *
 * A task goes to the process with the fewest. A process that ended is replaced; if processes do not start, the pauses
 * between attempts grow.
 */
export declare class PythonPool {
    #private;
    constructor(options: PythonPoolOptions);
    /** Loads the agent in a process, to check that this works. */
    check(signal: AbortSignal): Promise<void>;
    /**
     * Runs a task. Its time begins when a process can run it.
     *
     * @param createTask returns the task; `alone`: no other task runs in its process
     */
    run(createTask: (alone: boolean) => PythonTask, signal: AbortSignal): Promise<unknown>;
    /** Kills the processes. Running and waiting tasks are rejected with `pool_closed`. */
    close(): void;
}
