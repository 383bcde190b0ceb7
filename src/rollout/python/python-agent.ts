import type { Config } from "../../config/index.js";
import type { EpisodeTranscript } from "../../transcript/episode-transcript.js";
import type { Agent, AgentContext, AgentReward } from "../contract.js";
import { AgentPool, type AgentPoolOptions } from "../subproc/agent-pool.js";
import { assertSerializable } from "../subproc/serializable.js";
import { createTaskEnvironment } from "../subproc/task-environment.js";
import { invalidOption } from "../workflow-error.js";
import { parseAgentFile } from "./agent-file.js";
import { findPython } from "./find-python.js";
import { createJsonTransport } from "./json-transport.js";

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
  /** Seconds that a cancelled task may clean up before its process gets no more tasks. Default 10. */
  readonly cancelSeconds?: number | undefined;
  /** Configuration that fills in `python`, `maxWorkers` and `tasksPerWorker` if they are not set. */
  readonly config?: Config | undefined;
}

const [MAX_WORKERS, TASKS_PER_WORKER] = [4, 128];

/**
 * An agent in Python that runs in processes of its own, which import it once.
 *
 * - An asynchronous agent (`async def solve(task, context)`) runs many tasks at once in each process, a synchronous one
 *   one task at a time.
 * - The processes end with this process, or when the agent is closed.
 */
export class PythonAgent<Data = unknown> implements Agent<Data>, AsyncDisposable {
  readonly #options: AgentPoolOptions;
  readonly #pool: AgentPool;
  #isClosed = false;
  #exclusive: { readonly pool: AgentPool; running: number } | undefined;

  /**
   * @param agent `file.py:name` or `file.py`: a function, an object with `run`, or a class of such objects
   * @throws WorkflowError `invalid_import`, `invalid_option`
   * @throws SubprocError `not_serializable` if the keyword arguments are not JSON
   */
  constructor(agent: string, options: PythonAgentOptions = {}) {
    const { directory = process.cwd(), keywordArguments = {}, config } = options;
    const configured = config?.rollout.agent;
    const maxWorkers = options.maxWorkers ?? configured?.subproc_max_workers ?? MAX_WORKERS;
    const tasksPerWorker = options.tasksPerWorker ?? configured?.tasks_per_worker ?? TASKS_PER_WORKER;
    assertCount("maxWorkers", maxWorkers);
    assertCount("tasksPerWorker", tasksPerWorker);
    assertSerializable(keywordArguments, "keywordArguments", "json");
    const python = options.python ?? configured?.python ?? findPython();
    this.#options = {
      transport: createJsonTransport({ agent: parseAgentFile(agent, directory), keywordArguments, python }),
      maxWorkers,
      tasksPerWorker,
      timeoutSeconds: options.timeoutSeconds,
      cancelSeconds: options.cancelSeconds,
    };
    this.#pool = new AgentPool(this.#options);
  }

  /** Loads the agent in a process, to check that this works. Throws the error if it does not. */
  async check(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.#pool.check(signal);
  }

  run(data: Data, context: AgentContext): Promise<AgentReward> {
    return this.#run(this.#pool, data, context);
  }

  /** Undefined if the agent has no `resume`, or no process has loaded it yet. */
  get resume(): Agent<Data>["resume"] {
    if (!this.#pool.canResume) return undefined;
    return (data, transcript, context) => this.#run(this.#pool, data, context, transcript);
  }

  /**
   * Runs a task in a process that runs no other task meanwhile. These processes are beside those of {@link run}, at most as many, and
   * end when no such task runs.
   *
   * @param transcript goes on with this episode
   */
  async runAlone(data: Data, context: AgentContext, transcript?: EpisodeTranscript): Promise<AgentReward> {
    // A closed pool refuses the task.
    if (this.#isClosed) return this.#run(this.#pool, data, context, transcript);
    this.#exclusive ??= { pool: new AgentPool({ ...this.#options, tasksPerWorker: 1 }), running: 0 };
    const exclusive = this.#exclusive;
    exclusive.running++;
    try {
      return await this.#run(exclusive.pool, data, context, transcript);
    } finally {
      exclusive.running--;
      if (exclusive.running === 0) this.#closeExclusive();
    }
  }

  async #run(pool: AgentPool, data: Data, context: AgentContext, transcript?: EpisodeTranscript): Promise<AgentReward> {
    assertSerializable(data, "data", "json");
    const { base_url, api_key, task_id = null, group_id = null, signal } = context;
    const environment = createTaskEnvironment(context);
    const message = { type: "run", data: data ?? null, context: { base_url, api_key, task_id, group_id }, transcript };
    // Tasks that run at once share the environment, so it can have the address of one task only.
    const reward = await pool.run((alone) => (alone ? { ...message, environment } : message), signal);
    // The episode validates the value.
    return reward as AgentReward;
  }

  /** Kills the processes. Running tasks are rejected with `pool_closed`. */
  close(): void {
    this.#isClosed = true;
    this.#pool.close();
    this.#closeExclusive();
  }

  #closeExclusive(): void {
    this.#exclusive?.pool.close();
    this.#exclusive = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

function assertCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalidOption(name, value, "an integer of at least 1");
}
