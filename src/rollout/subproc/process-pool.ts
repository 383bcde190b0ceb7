import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Deadline } from "../../support/async/deadline.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { AgentPool } from "./agent-pool.js";
import { type AgentTransport, type ProcessMessage, TaskNotTaken } from "./agent-process.js";
import { createTimeout, SubprocError } from "./errors.js";
import { decodeError, type WorkerMessage, type WorkerTask } from "./messages.js";
import { createBareEnvironment } from "./task-environment.js";

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

/**
 * Creates the transport of Node processes, over the channel of `fork`. Each task names its agent.
 *
 * @param nodeArguments Node arguments of the processes, in addition to the loaders of this process
 */
function createForkTransport(nodeArguments: readonly string[] = []): AgentTransport {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url));
  return {
    spawn: () =>
      fork(file, [], {
        detached: true,
        serialization: "advanced",
        env: createBareEnvironment(),
        stdio: ["ignore", "pipe", "pipe", "ipc"],
        execArgv: [...pickLoaders(process.execArgv), ...(isSource ? ["--import", "tsx"] : []), ...nodeArguments],
      }),
    // The agent may send messages of its own, which belong to no task.
    listen: (child, listener) =>
      child.on("message", (message: WorkerMessage | null) => message?.id !== undefined && listener(decode(message))),
    send(child, message) {
      if (!child.connected) throw new TaskNotTaken("its connection was closed");
      try {
        // The callback ignores errors: a message cannot be sent if the process has ended, and that end is reported elsewhere.
        child.send(message, () => {});
      } catch (cause) {
        const text = `The task cannot be sent to another process: ${(cause as Error).message}`;
        throw new SubprocError("not_serializable", text, { cause });
      }
    },
    printed: ({ stdout }) => (stdout ? [stdout] : []),
    handles: (child) => [child, child.channel],
  };
}

function decode(message: WorkerMessage): ProcessMessage {
  return message.type === "failed" ? { ...message, error: decodeError(message.error) } : message;
}

const WITH_VALUE = new Set(["--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C"]);
const ALONE = /^--(import|require|loader|experimental-loader|conditions|experimental-strip-types|enable-source-maps)\b/;

/**
 * Returns the Node arguments that affect how modules are found and loaded, without those of debuggers and profilers.
 */
function pickLoaders(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, i) => {
    const value = execArgv[i + 1];
    if (WITH_VALUE.has(argument)) return value === undefined ? [] : [argument, value];
    // The value of the option before was already taken.
    if (WITH_VALUE.has(execArgv[i - 1] ?? "")) return [];
    return ALONE.test(argument) ? [argument] : [];
  });
}
