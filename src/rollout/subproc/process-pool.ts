import { Deadline } from "../../support/async/deadline.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { SubprocError } from "./errors.js";
import type { WorkerTask } from "./messages.js";
import { processFailed } from "./standard-error.js";
import { TaskNotTaken, WorkerProcess } from "./worker-process.js";

export interface ProcessPoolOptions {
  /** Processes at once: `rollout.agent.subproc_max_workers`. */
  readonly maxWorkers: number;
  /** Seconds that a process may work at one task; then it is killed. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
  /** Arguments of Node for worker processes, such as `--import tsx`. They have this process's own loaders already. */
  readonly nodeArguments?: readonly string[] | undefined;
}

/**
 * Processes that run agents, so many at once. Worker processes start when they are needed and are kept; one that crashed,
 * was killed or has something left at work in it is replaced for the next task.
 */
export class ProcessPool implements AsyncDisposable {
  readonly #options: ProcessPoolOptions;
  readonly #slots: Semaphore;
  readonly #workers = new Set<WorkerProcess>();
  readonly #closing = new AbortController();

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.maxWorkers);
  }

  /** Runs a task in a worker process that has no other. The process is killed when the signal aborts. */
  run(task: WorkerTask, signal: AbortSignal): Promise<unknown> {
    return this.occupy(signal, (limited) => this.#runSomewhere(task, limited));
  }

  /** Does some work with a process of its own, when there is room for one, within the time of a task. */
  async occupy<T>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    using _slot = await this.#slots.acquire(either);
    const { timeoutSeconds } = this.#options;
    const expired = () =>
      new SubprocError(
        "agent_timeout",
        `The agent's process was killed: it was at work for ${timeoutSeconds} seconds.`,
      );
    using deadline = new Deadline(either, timeoutSeconds, expired);
    return await work(deadline.signal);
  }

  /** Kills the workers; tasks that run or wait are rejected with `pool_closed`. */
  close(): void {
    this.#closing.abort(new SubprocError("pool_closed", "The pool of agent processes was closed."));
    for (const worker of this.#workers) worker.close();
    this.#workers.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /** A new process takes the task if the first ended before it could. */
  async #runSomewhere(task: WorkerTask, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    try {
      return await this.#idle().run(task, signal);
    } catch (error) {
      if (!(error instanceof TaskNotTaken)) throw error;
    }
    signal.throwIfAborted();
    try {
      return await this.#start().run(task, signal);
    } catch (error) {
      if (!(error instanceof TaskNotTaken)) throw error;
      const sentence = `A worker process ended before it took a task: ${error.message}.`;
      throw processFailed("worker_start_failed", sentence, error.standardError);
    }
  }

  /** A process that waits, or a new one. */
  #idle(): WorkerProcess {
    for (const worker of this.#workers) {
      if (worker.state === "idle") return worker;
      if (worker.state === "gone") this.#workers.delete(worker);
    }
    return this.#start();
  }

  #start(): WorkerProcess {
    const worker = new WorkerProcess(this.#options.nodeArguments);
    this.#workers.add(worker);
    return worker;
  }
}
