import { Deadline } from "../../support/async/deadline.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { AgentPool } from "./agent-pool.js";
import { createTimeout } from "./errors.js";
import { createForkTransport } from "./fork-transport.js";
import type { WorkerTask } from "./messages.js";

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
  readonly #timeoutSeconds: number | undefined;
  readonly #slots: Semaphore;
  readonly #workers: AgentPool;

  constructor({ maxWorkers, timeoutSeconds, nodeArguments }: ProcessPoolOptions) {
    this.#timeoutSeconds = timeoutSeconds;
    this.#slots = new Semaphore(maxWorkers);
    this.#workers = new AgentPool({ maxWorkers, tasksPerWorker: 1, transport: createForkTransport(nodeArguments) });
  }

  /** Runs a task in a worker process that is idle. The process is killed when the signal aborts. */
  run(task: WorkerTask, signal: AbortSignal): Promise<unknown> {
    return this.occupy(signal, (taskSignal) => this.#workers.run(() => task, taskSignal));
  }

  /**
   * Waits for a free slot, then calls `work`, which may start one process. `taskSignal` aborts when the task is
   * aborted, exceeds its time, or the pool is closed.
   */
  async occupy<T>(signal: AbortSignal, work: (taskSignal: AbortSignal) => Promise<T>): Promise<T> {
    const stopSignal = AbortSignal.any([signal, this.#workers.closed]);
    using _slot = await this.#slots.acquire(stopSignal);
    using deadline = new Deadline(stopSignal, this.#timeoutSeconds, () => createTimeout(this.#timeoutSeconds));
    return await work(deadline.signal);
  }

  /** Kills the workers. Running and waiting tasks are rejected with `pool_closed`. */
  close(): void {
    this.#workers.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
