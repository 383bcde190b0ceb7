import { type WorkerTask } from "./messages.js";
/** The process ended before it accepted the task, so that the task can be given to another process. */
export declare class TaskNotTaken extends Error {
    /** The end of the process's standard error. */
    readonly standardError: string;
    /** @param how the process ended */
    constructor(how: string, standardError: string);
}
/** One worker process, as its parent sees it. It runs one task at a time. */
export declare class WorkerProcess {
    #private;
    /** @param nodeArguments Node arguments of the process, in addition to the loaders of this process */
    constructor(nodeArguments?: readonly string[]);
    /** `busy`: the process runs a task. `gone`: it was killed or has ended. */
    get state(): "idle" | "busy" | "gone";
    /**
     * Runs a task and returns its result. If the signal aborts, the process is killed.
     *
     * @throws TaskNotTaken, the error that the agent threw, or the reason of the signal
     */
    run(task: WorkerTask, signal: AbortSignal): Promise<unknown>;
    /** Kills the process and its descendants. */
    kill(): void;
    /**
     * Kills the process and writes its incomplete last line now, because this process may end before it reads the end.
     */
    close(): void;
}
