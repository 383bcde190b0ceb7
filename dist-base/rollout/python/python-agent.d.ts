import type { Config } from "../../config/index.js";
import type { Agent, AgentContext, AgentReward } from "../contract.js";
export interface PythonAgentOptions {
    /** Folder that a relative path begins in. Default: the working directory. */
    readonly directory?: string | undefined;
    /** Keyword arguments of the constructor, if the agent is a class. They must be JSON. */
    readonly keywordArguments?: Readonly<Record<string, unknown>> | undefined;
    /** The interpreter. Default: that of the active virtual environment (`VIRTUAL_ENV`), else `python3`. */
    readonly python?: string | undefined;
    /** Maximum number of processes. Default 4. */
    readonly maxWorkers?: number | undefined;
    /** Maximum number of tasks that an asynchronous agent runs at once in a process. Default 128. */
    readonly tasksPerWorker?: number | undefined;
    /** Maximum seconds of one task. Default: no limit. */
    readonly timeoutSeconds?: number | undefined;
    /** Seconds that a cancelled task may clean up before its process is not used any more. Default 10. */
    readonly cancelSeconds?: number | undefined;
    /** Configuration that fills in `python`, `maxWorkers` and `tasksPerWorker` if they are not set. */
    readonly config?: Config | undefined;
}
/**
 * An agent in Python that runs in processes of its own, which import it once.
 *
 * - An asynchronous agent (`async def solve(task, context)`) runs many tasks at once in each process, a synchronous one
 *   one task at a time.
 * - The processes end with this process, or when the agent is closed.
 */
export declare class PythonAgent<Data = unknown> implements Agent<Data>, AsyncDisposable {
    #private;
    /**
     * @param agent `file.py:name` or `file.py`: a function, an object with `run`, or a class of such objects
     * @throws WorkflowError `invalid_import`, `invalid_option`
     * @throws SubprocError `not_serializable` if the keyword arguments are not JSON
     */
    constructor(agent: string, options?: PythonAgentOptions);
    /** Loads the agent in a process, to check that this works. Throws the error if it does not. */
    check(signal?: AbortSignal): Promise<void>;
    run(data: Data, context: AgentContext): Promise<AgentReward>;
    /** Kills the processes. Running tasks are rejected with `pool_closed`. */
    close(): void;
    [Symbol.asyncDispose](): Promise<void>;
}
