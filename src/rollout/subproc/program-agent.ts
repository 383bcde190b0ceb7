import type { Agent, AgentContext, AgentReward } from "../contract.js";
import type { ProcessPool } from "./process-pool.js";
import { runProgram } from "./run-program.js";
import { assertSerializable } from "./serializable.js";
import { taskEnvironment } from "./task-environment.js";

export interface ProgramAgentOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Its working directory. Default: this process's own. */
  readonly directory?: string | undefined;
}

/**
 * Any program as an agent, one process for each episode. It finds the data as JSON on its standard input, address and
 * key of its session in its environment under every name that SDKs read, and says its reward (a number, or an object of
 * completion ids to numbers) in the last line of its standard output, or in a line `{"reward": …}`.
 */
export class ProgramAgent<Data = unknown> implements Agent<Data> {
  readonly #pool: ProcessPool;
  readonly #options: ProgramAgentOptions;

  constructor(pool: ProcessPool, options: ProgramAgentOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  async run(data: Data, context: AgentContext): Promise<AgentReward> {
    assertSerializable(data, "data", "json");
    const { command, directory = process.cwd() } = this.#options;
    const environment = taskEnvironment(context);
    const program = { command, directory, environment, input: `${JSON.stringify(data ?? null)}\n` };
    const reward = await this.#pool.occupy(context.signal, (signal) => runProgram(program, signal));
    // A number or an object; its values are for the episode to judge.
    return reward as AgentReward;
  }
}
