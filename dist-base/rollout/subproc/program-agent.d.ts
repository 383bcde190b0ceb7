import type { Agent, AgentContext, AgentReward } from "../contract.js";
import type { ProcessPool } from "./process-pool.js";
export interface ProgramAgentOptions {
    /** The program and its arguments. */
    readonly command: readonly [string, ...string[]];
    /** Its working directory. Default: this process's own. */
    readonly directory?: string | undefined;
}
/**
 * Runs any program as an agent, with one process per episode.
 *
 * - The program reads the data as JSON from its standard input.
 * - Address and key of the session are in its environment, under the names that SDKs read.
 * - It prints its reward, a number or an object from completion ids to numbers, in the last line of its standard output
 *   or in a line `{"reward": …}`.
 */
export declare class ProgramAgent<Data = unknown> implements Agent<Data> {
    #private;
    constructor(pool: ProcessPool, options: ProgramAgentOptions);
    run(data: Data, context: AgentContext): Promise<AgentReward>;
}
