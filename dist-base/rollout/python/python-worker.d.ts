import type { PythonAgentFile } from "./agent-file.js";
import { type PythonTask } from "./messages.js";
export interface PythonWorkerOptions {
    /** The interpreter. */
    readonly python: string;
    readonly agent: PythonAgentFile;
    readonly keywordArguments: Readonly<Record<string, unknown>>;
    /** Default: 10. */
    readonly cancelSeconds?: number | undefined;
    /** Is called when a task or the process has ended, so that another task may start. */
    readonly onChange: () => void;
}
/** The report of a worker that has imported its agent. */
export interface LoadedAgent {
    /** True if the agent can run many tasks at once. */
    readonly isAsync: boolean;
}
/** One Python process with its agent, as this process sees it. */
export declare class PythonWorker {
    #private;
    /** Resolves when the agent is loaded. Rejects with a WorkflowError or a SubprocError. */
    readonly loaded: Promise<LoadedAgent>;
    constructor(options: PythonWorkerOptions);
    /** True if it accepts tasks. */
    get usable(): boolean;
    /** True until the process has ended. */
    get exists(): boolean;
    /** True once the agent was loaded. */
    get isLoaded(): boolean;
    /** Number of tasks that it runs or is about to run. */
    get load(): number;
    /** Counts a task that is about to run. Call {@link release}, or {@link waitUntilLoaded} and {@link run}. */
    reserve(): void;
    /** Gives up a task that was reserved. */
    release(): void;
    /**
     * Waits until a reserved task can run.
     *
     * @throws TaskNotTaken, or the reason of the signal; the task is then not reserved any more
     */
    waitUntilLoaded(signal: AbortSignal): Promise<void>;
    /**
     * Runs a reserved task when the agent is loaded, and returns what the agent returned.
     *
     * If the signal aborts, an asynchronous agent's task is cancelled; the process of a synchronous agent is killed.
     *
     * @throws TaskNotTaken, the error that the agent raised, or the reason of the signal
     */
    run(task: PythonTask, signal: AbortSignal): Promise<unknown>;
    /** Kills the process and its descendants. */
    kill(why?: string): void;
    /** Kills the process and writes its incomplete last line now, because this process may end before it reads the end. */
    close(): void;
    /** Keeps this process alive while it waits for the worker. */
    hold(): Disposable;
}
