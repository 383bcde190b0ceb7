import { Deadline } from "../../support/async/deadline.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { SubprocError } from "./errors.js";
import type { WorkerTask } from "./messages.js";
import { processError } from "./standard-error.js";
import { TaskNotTaken, WorkerProcess } from "./worker-process.js";

export interface ProcessPoolOptions {
  /** Maximum number of concurrent processes: `rollout.agent.subproc_max_workers`. */
  readonly maxWorkers: number;
  /** Maximum seconds of one task, after which its process is killed. Default: no limit. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * Node arguments for worker processes, such as `--import tsx`. They inherit the loaders of this process in any case.
   */
  readonly nodeArguments?: readonly string[] | undefined;
}

/**
 * A limited number of processes that run agents.
 *
 * Worker processes start when they are needed and are reused. A worker that crashed, was killed, or still has timers,
 * requests or processes of its agent is replaced for the next task.
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

  /** Runs a task in a worker process that is idle. The process is killed when the signal aborts. */
  run(task: WorkerTask, signal: AbortSignal): Promise<unknown> {
    return this.occupy(signal, (taskSignal) => this.#runSomewhere(task, taskSignal));
  }

  /**
   * Waits for a free slot, then calls `work`, which may start one process. `taskSignal` aborts when the task is
   * aborted, exceeds its time, or the pool is closed.
   */
  async occupy<T>(signal: AbortSignal, work: (taskSignal: AbortSignal) => Promise<T>): Promise<T> {
    const stopSignal = AbortSignal.any([signal, this.#closing.signal]);
    using _slot = await this.#slots.acquire(stopSignal);
    const { timeoutSeconds } = this.#options;
    const expired = () =>
      new SubprocError(
        "agent_timeout",
        `The agent's process was killed because it exceeded its limit of ${timeoutSeconds} seconds.`,
      );
    using deadline = new Deadline(stopSignal, timeoutSeconds, expired);
    return await work(deadline.signal);
  }

  /** Kills the workers. Running and waiting tasks are rejected with `pool_closed`. */
  close(): void {
    this.#closing.abort(new SubprocError("pool_closed", "The pool of agent processes was closed."));
    for (const worker of this.#workers) worker.close();
    this.#workers.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  /**
   * Runs a task in an idle or new process. If that process ended before it accepted the task, tries one new process.
   */
  async #runSomewhere(task: WorkerTask, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    try {
      return await this.#findIdle().run(task, signal);
    } catch (error) {
      if (!(error instanceof TaskNotTaken)) throw error;
    }
    signal.throwIfAborted();
    try {
      return await this.#start().run(task, signal);
    } catch (error) {
      if (!(error instanceof TaskNotTaken)) throw error;
      const sentence = `A worker process ended before it accepted a task: ${error.message}.`;
      throw processError("worker_start_failed", sentence, error.standardError);
    }
  }

  /** Returns an idle worker, or a new one. */
  #findIdle(): WorkerProcess {
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
