import type { DestinationStream, Logger } from "pino";
import { z } from "zod";
import type { WorkerProcessState } from "../../gateway/context.js";
import type { ChildEnd } from "../../support/processes/child-end.js";
import { JobProcess, type RestartLimit } from "../rollout/job-process.js";

/** With pauses from 250 ms to 4 s, this takes 8 s and the time of five starts. */
const RESTARTS: RestartLimit = { times: 5, forgetSeconds: 60 };

const problem = z.object({ key: z.string(), message: z.string() });

/** The ready line of a worker. Fields that describe the model are the same for all workers. */
const readyLine = z.looseObject({
  url: z.url(),
  worker_tag: z.string(),
  pid: z.int(),
  not_ready: z.array(problem).optional(),
  warnings: z.array(problem).optional(),
});
export type WorkerReadyLine = z.output<typeof readyLine>;

export interface ProxyWorkerProcessOptions {
  readonly name: string;
  /** `key=value` arguments and options of `rolltape serve`. */
  readonly args: readonly string[];
  readonly nodeArguments: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** True if its sessions survive the process. */
  readonly isStored: boolean;
  readonly logger: Logger;
  /** Is called when it died too often and is not restarted. */
  readonly onFailed: () => void;
}

/** A server in a separate process. A restarted one listens on the same port. */
export class ProxyWorkerProcess {
  readonly name: string;
  readonly #process: JobProcess;
  #state: WorkerProcessState;
  #ready: WorkerReadyLine | undefined;

  constructor({ name, args, nodeArguments, env, isStored, logger, onFailed }: ProxyWorkerProcessOptions) {
    this.name = name;
    this.#state = { name, status: "starting", restarts: 0 };
    const log = logger.child({ worker: name });
    this.#process = new JobProcess({
      kind: "proxy worker",
      args: ["serve", ...args],
      nodeArguments,
      keepsPort: true,
      env,
      logs: nameLines(name, process.stderr),
      cost: isStored ? "its sessions wait for it" : "its sessions are lost",
      restarts: RESTARTS,
      report: (message) => log.error(message),
      onReady: (line) => {
        this.#ready = readyLine.parse(JSON.parse(line));
        const { worker_tag: tag, url, pid } = this.#ready;
        this.#state = { ...this.#state, status: "ready", tag };
        log.info({ url, tag, workerPid: pid, restarts: this.#state.restarts }, "worker is ready");
      },
      onDeath: (ended, isRestarted) => {
        const restarts = this.#state.restarts + (isRestarted ? 1 : 0);
        this.#state = { ...this.#state, status: isRestarted ? "restarting" : "failed", restarts, ended };
        if (!isRestarted) onFailed();
      },
    });
  }

  get state(): WorkerProcessState {
    return this.#state;
  }

  /** The last ready line; undefined before the first one. */
  get ready(): WorkerReadyLine | undefined {
    return this.#ready;
  }

  /** Resolves when it accepts calls. */
  start(): Promise<void> {
    return this.#process.start();
  }

  /** Drains and stops it. Returns how it ended; undefined if it did not run. */
  stop(): Promise<ChildEnd | undefined> {
    return this.#process.stop();
  }
}

/**
 * Returns a destination for the standard error of a worker, whole lines at a time. Log lines get the worker's name as the field
 * `worker`; other text, such as a stack, gets it as a prefix.
 */
export function nameLines(name: string, output: DestinationStream): DestinationStream {
  const field = `{"worker":${JSON.stringify(name)},`;
  return {
    write: (line) => output.write(line.startsWith('{"') ? field + line.slice(1) : `${name}: ${line}`),
  };
}
