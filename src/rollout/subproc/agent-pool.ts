import { WaitQueue } from "../../support/async/wait-queue.js";
import { pauseBeforeRestart } from "../../support/processes/restart-pause.js";
import { WorkflowError } from "../workflow-error.js";
import { AgentProcess, type AgentProcessOptions, type LoadedAgent, TaskNotTaken } from "./agent-process.js";
import { SubprocError } from "./errors.js";
import { processError } from "./standard-error.js";

export interface AgentPoolOptions extends Omit<AgentProcessOptions, "onChange"> {
  readonly maxWorkers: number;
  /** Maximum number of tasks that an asynchronous agent runs at once in a process. */
  readonly tasksPerWorker: number;
}

/** An asynchronous agent gets another process when each running one has this many tasks. */
const TASKS_BEFORE_NEXT = 8;
/** Failed starts after which the waiting tasks are rejected: before any process has loaded the agent, and after one has. */
const [FIRST_ATTEMPTS, LATER_ATTEMPTS] = [2, 5];
/** A process may end just before it gets a task. A task that was given to this many such processes is rejected. */
const MAX_TRIES = 3;

type Served = { readonly worker: AgentProcess } | { readonly error: Error };

/**
 * Processes that run agents. They start when they are needed and are reused.
 *
 * A task goes to the process with the fewest tasks. A process that ended is replaced. If processes do not start, the pauses
 * between attempts grow.
 */
export class AgentPool {
  readonly #options: AgentPoolOptions;
  readonly #workers = new Set<AgentProcess>();
  readonly #queue = new WaitQueue<Served>();
  readonly #closing = new AbortController();
  #agent: LoadedAgent | undefined;
  /** Failed attempts to start a process since the last one that succeeded. */
  #failures = 0;
  #pausing = false;
  /** Why no process can ever start. */
  #broken: Error | undefined;

  constructor(options: AgentPoolOptions) {
    this.#options = options;
    // Nothing is loaded before the first task if each task names its agent.
    if (!options.transport.load) this.#agent = { isAsync: false, canResume: false };
  }

  /** False until a process has loaded the agent. */
  get canResume(): boolean {
    return this.#agent?.canResume ?? false;
  }

  /** Loads the agent in a process, to check that this works. */
  async check(signal: AbortSignal): Promise<void> {
    const worker = await this.#reserve(AbortSignal.any([signal, this.closed]));
    worker.release();
  }

  /** Aborts when the pool is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * Runs a task in a process.
   *
   * @param createTask returns the message of the task; `alone`: no other task runs in its process
   */
  async run(createTask: (alone: boolean) => object, signal: AbortSignal): Promise<unknown> {
    const stopSignal = AbortSignal.any([signal, this.closed]);
    for (let attempt = 1; ; attempt++) {
      const worker = await this.#reserve(stopSignal);
      try {
        return await worker.run(createTask(this.#capacity === 1), stopSignal);
      } catch (error) {
        if (!(error instanceof TaskNotTaken)) throw error;
        if (attempt < MAX_TRIES) continue;
        const sentence = `A worker process ended before it accepted a task: ${error.message}.`;
        throw processError("worker_start_failed", sentence, worker.standardError);
      }
    }
  }

  /** Kills the processes. Running and waiting tasks are rejected with `pool_closed`. */
  close(): void {
    this.#closing.abort(new SubprocError("pool_closed", "The pool of agent processes was closed."));
    for (const worker of this.#workers) worker.close();
    this.#workers.clear();
  }

  /** Maximum number of tasks that a process runs at once. */
  get #capacity(): number {
    return this.#agent?.isAsync === true ? this.#options.tasksPerWorker : 1;
  }

  /** Waits for a process that has room for a task. */
  async #reserve(signal: AbortSignal): Promise<AgentProcess> {
    if (this.#broken) throw this.#broken;
    const waiting = this.#queue.wait(signal);
    this.#dispatch();
    const served = await waiting;
    if ("error" in served) throw served.error;
    return served.worker;
  }

  /** Gives waiting tasks to processes, in the order in which they came. */
  #dispatch(): void {
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) {
      const worker = this.#choose();
      if (worker === undefined) return;
      worker.reserve();
      this.#queue.serve({ worker });
    }
  }

  #choose(): AgentProcess | undefined {
    // A process that failed to load the agent stays until `#watchStart` has counted the failure. Otherwise another process
    // would start before the pause.
    for (const worker of this.#workers) if (!worker.exists && worker.isLoaded) this.#workers.delete(worker);
    const usable = [...this.#workers].filter((worker) => worker.usable);
    // Until the agent is known, one process is enough to find out whether it can be loaded.
    if (this.#agent === undefined) {
      if (usable.length === 0) this.#start();
      return undefined;
    }
    const capacity = this.#capacity;
    const [first, ...others] = usable;
    const least = others.reduce((best, worker) => (best && best.load <= worker.load ? best : worker), first);
    if (least === undefined || least.load >= Math.min(capacity, TASKS_BEFORE_NEXT)) {
      const started = this.#start();
      if (started) return started;
    }
    return least && least.load < capacity ? least : undefined;
  }

  /** Starts a process, unless there are enough or a pause between attempts lasts. */
  #start(): AgentProcess | undefined {
    const isFull = this.#workers.size >= this.#options.maxWorkers;
    if (isFull || this.#pausing || [...this.#workers].some((worker) => !worker.exists)) return undefined;
    try {
      const worker = new AgentProcess({ ...this.#options, onChange: () => this.#dispatch() });
      this.#workers.add(worker);
      void this.#watchStart(worker);
      return worker;
    } catch (error) {
      void this.#startFailed(error as Error);
      return undefined;
    }
  }

  async #watchStart(worker: AgentProcess): Promise<void> {
    try {
      using _held = worker.hold();
      this.#agent = await worker.loaded;
      this.#failures = 0;
      this.#dispatch();
    } catch (error) {
      this.#workers.delete(worker);
      await this.#startFailed(error as Error);
    }
  }

  async #startFailed(error: Error): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#failures++;
    const isFirst = this.#agent === undefined;
    // Another attempt cannot succeed: the program is missing, or the agent's file cannot be loaded.
    const isLasting = error instanceof WorkflowError || (error as Partial<SubprocError>).code === "program_not_started";
    if (isFirst && (isLasting || this.#failures >= FIRST_ATTEMPTS)) this.#broken = error;
    if (this.#broken || this.#failures >= LATER_ATTEMPTS) this.#rejectWaiting(error);
    if (this.#broken || this.#pausing) return;
    this.#pausing = true;
    const again = await pauseBeforeRestart(this.#failures - 1, this.#closing.signal);
    this.#pausing = false;
    if (again) this.#dispatch();
  }

  /** Rejects all waiting tasks with the same error, so that it is reported once. If a process works, they go on waiting for it. */
  #rejectWaiting(error: Error): void {
    if ([...this.#workers].some((worker) => worker.usable)) return;
    while (this.#queue.serve({ error }));
  }
}
