import { Deadline } from "../../support/async/deadline.js";
import { WaitQueue } from "../../support/async/wait-queue.js";
import { pauseBeforeRestart } from "../../support/processes/restart-pause.js";
import { SubprocError } from "../subproc/errors.js";
import { processError } from "../subproc/standard-error.js";
import { TaskNotTaken } from "../subproc/worker-process.js";
import { WorkflowError } from "../workflow-error.js";
import type { PythonTask } from "./messages.js";
import { type LoadedAgent, PythonWorker, type PythonWorkerOptions } from "./python-worker.js";

export interface PythonPoolOptions extends Omit<PythonWorkerOptions, "onChange"> {
  readonly maxWorkers: number;
  /** Maximum number of tasks that an asynchronous agent runs at once in a process. */
  readonly tasksPerWorker: number;
  readonly timeoutSeconds?: number | undefined;
}

/** For an asynchronous agent, another process starts when each running one has this many tasks. */
const TASKS_BEFORE_NEXT = 8;
/** Failed starts after which the waiting tasks are rejected: before any process has loaded the agent, and after one has. */
const [FIRST_ATTEMPTS, LATER_ATTEMPTS] = [2, 5];
/** A process may end just before it gets a task. A task that was given to this many such processes is rejected. */
const MAX_TRIES = 3;

type Served = { readonly worker: PythonWorker } | { readonly error: Error };

/**
 * The processes of one Python agent. They start when they are needed and are reused.
 *
 * A task goes to the process with the fewest. A process that ended is replaced; if processes do not start, the pauses
 * between attempts grow.
 */
export class PythonPool {
  readonly #options: PythonPoolOptions;
  readonly #workers = new Set<PythonWorker>();
  readonly #queue = new WaitQueue<Served>();
  readonly #closing = new AbortController();
  #agent: LoadedAgent | undefined;
  /** Failed attempts to start a process since the last one that succeeded. */
  #failures = 0;
  #pausing = false;
  /** Why no process can ever start. */
  #broken: Error | undefined;

  constructor(options: PythonPoolOptions) {
    this.#options = options;
  }

  /** False until a process has loaded the agent. */
  get canResume(): boolean {
    return this.#agent?.canResume ?? false;
  }

  /** Loads the agent in a process, to check that this works. */
  async check(signal: AbortSignal): Promise<void> {
    const worker = await this.#reserve(AbortSignal.any([signal, this.#closing.signal]));
    worker.release();
  }

  /**
   * Runs a task. Its time begins when a process can run it.
   *
   * @param createTask returns the task; `alone`: no other task runs in its process
   */
  async run(createTask: (alone: boolean) => PythonTask, signal: AbortSignal): Promise<unknown> {
    const stopSignal = AbortSignal.any([signal, this.#closing.signal]);
    for (let attempt = 1; ; attempt++) {
      const worker = await this.#reserve(stopSignal);
      try {
        await worker.waitUntilLoaded(stopSignal);
        using deadline = new Deadline(stopSignal, this.#options.timeoutSeconds, () => this.#expired());
        return await worker.run(createTask(this.#capacity === 1), deadline.signal);
      } catch (error) {
        if (!(error instanceof TaskNotTaken)) throw error;
        if (attempt < MAX_TRIES) continue;
        const sentence = `A Python process ended before it accepted a task: ${error.message}.`;
        throw processError("worker_start_failed", sentence, error.standardError);
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
  async #reserve(signal: AbortSignal): Promise<PythonWorker> {
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

  #choose(): PythonWorker | undefined {
    // A process that failed before it had loaded the agent is removed when this is noted, so that it is not replaced before.
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
  #start(): PythonWorker | undefined {
    const isFull = this.#workers.size >= this.#options.maxWorkers;
    if (isFull || this.#pausing || [...this.#workers].some((worker) => !worker.exists)) return undefined;
    try {
      const worker = new PythonWorker({ ...this.#options, onChange: () => this.#dispatch() });
      this.#workers.add(worker);
      void this.#watchStart(worker);
      return worker;
    } catch (error) {
      void this.#startFailed(error as Error);
      return undefined;
    }
  }

  async #watchStart(worker: PythonWorker): Promise<void> {
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
    // Another attempt cannot succeed: Python is missing, or the agent's file cannot be loaded.
    const isLasting = error instanceof WorkflowError || (error as Partial<SubprocError>).code === "program_not_started";
    if (isFirst && (isLasting || this.#failures >= FIRST_ATTEMPTS)) this.#broken = error;
    if (this.#broken || this.#failures >= LATER_ATTEMPTS) this.#rejectWaiting(error);
    if (this.#broken || this.#pausing) return;
    this.#pausing = true;
    const again = await pauseBeforeRestart(this.#failures - 1, this.#closing.signal);
    this.#pausing = false;
    if (again) this.#dispatch();
  }

  /** All tasks that wait have the same error, so that it is reported once. Tasks go on waiting for processes that work. */
  #rejectWaiting(error: Error): void {
    if ([...this.#workers].some((worker) => worker.usable)) return;
    while (this.#queue.serve({ error }));
  }

  #expired(): SubprocError {
    const { timeoutSeconds } = this.#options;
    const isAsync = this.#agent?.isAsync === true;
    const what = isAsync ? "The agent was cancelled" : "The agent's process was killed";
    return new SubprocError("agent_timeout", `${what} because it exceeded its limit of ${timeoutSeconds} seconds.`);
  }
}
