import type { Agent, AgentContext, AgentReward } from "../contract.js";
import { type AgentSourceOptions } from "./agent-source.js";
import type { ProcessPool } from "./process-pool.js";
/**
 * An agent that runs in the worker processes of a pool.
 *
 * Its `run` receives only the data, and may be synchronous. While it runs, address and key of its session are in the
 * environment (`COMPAT_BASE_URL`, `COMPAT_API_KEY`).
 */
export declare class SubprocAgent<Data = unknown> implements Agent<Data> {
    #private;
    /**
     * @param agent an import string, or an instance of a class that names its module; see {@link createAgentSource}
     * @throws SubprocError, WorkflowError
     */
    constructor(pool: ProcessPool, agent: unknown, options?: AgentSourceOptions);
    /** Creates the agent in a worker process once, to check that this works. Throws the error if it does not. */
    check(signal?: AbortSignal): Promise<void>;
    run(data: Data, context: AgentContext): Promise<AgentReward>;
}
