import type { Agent, AgentContext, AgentReward } from "../contract.js";
import { type AgentSource, type AgentSourceOptions, agentSource } from "./agent-source.js";
import type { ProcessPool } from "./process-pool.js";
import { assertSerializable } from "./serializable.js";
import { taskEnvironment } from "./task-environment.js";

/**
 * An agent that runs in the worker processes of a pool. Its `run` gets the data alone: address and key of its session
 * are in the environment (`COMPAT_BASE_URL`, `COMPAT_API_KEY`) while it runs, and only then. It may be synchronous.
 */
export class SubprocAgent<Data = unknown> implements Agent<Data> {
  readonly #pool: ProcessPool;
  readonly #source: AgentSource;

  /**
   * @param agent an import string, or an instance of a class that says where it is exported; see {@link agentSource}
   * @throws SubprocError, WorkflowError
   */
  constructor(pool: ProcessPool, agent: unknown, options: AgentSourceOptions = {}) {
    this.#pool = pool;
    this.#source = agentSource(agent, options);
  }

  /** Makes the agent in a worker process, to see whether it can be made. Throws what went wrong there. */
  async check(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#pool.run({ type: "load", agent: this.#source }, signal);
  }

  async run(data: Data, context: AgentContext): Promise<AgentReward> {
    assertSerializable(data, "data");
    const task = { type: "run", agent: this.#source, data, environment: taskEnvironment(context) } as const;
    // What it is, the episode finds out.
    return (await this.#pool.run(task, context.signal)) as AgentReward;
  }
}
