import type { Logger } from "pino";
import { type Config, SERVE, type Starter, withoutUnused } from "../../config/index.js";
import type { WorkerProcessState } from "../../gateway/context.js";
import type { ChildEnd } from "../../support/processes/child-end.js";
import type { WorkerBudgets } from "./divide-budgets.js";
import { ProxyWorkerProcess, type WorkerReadyLine } from "./proxy-worker-process.js";
import { workerFolder } from "./worker-folders.js";

export interface WorkerFleetOptions {
  readonly count: number;
  readonly config: Config;
  readonly budgets: WorkerBudgets;
  /** File and `key=value` arguments of the command. */
  readonly file: string | undefined;
  readonly overrides: readonly string[];
  readonly startedBy: Starter | undefined;
  readonly adminKey: string;
  /** Folder in which the workers register. */
  readonly folder: string;
  readonly logger: Logger;
  /** Is called when no worker is left that runs or is restarted. */
  readonly onAllFailed: () => void;
}

/** The servers of `server.workers`. */
export class WorkerFleet {
  readonly #workers: readonly ProxyWorkerProcess[];

  constructor(options: WorkerFleetOptions) {
    const { count, config, budgets, adminKey, logger, onAllFailed } = options;
    const shared = {
      nodeArguments: budgets.nodeArguments,
      env: { ...process.env, ROLLTAPE_ADMIN_API_KEY: adminKey },
      isStored: config.storage.directory !== null,
      logger,
      onFailed: () => {
        if (this.states.every(({ status }) => status === "failed")) onAllFailed();
      },
    };
    this.#workers = Array.from({ length: count }, (_, index) => {
      const name = `worker-${index}`;
      return new ProxyWorkerProcess({ name, args: workerArguments(options, name), ...shared });
    });
  }

  get states(): readonly WorkerProcessState[] {
    return this.#workers.map(({ state }) => state);
  }

  /** The last ready line of each worker. */
  get ready(): readonly (WorkerReadyLine & { readonly name: string })[] {
    return this.#workers.flatMap(({ name, ready }) => (ready ? [{ ...ready, name }] : []));
  }

  /**
   * Starts all workers. Resolves when all accept calls.
   *
   * @throws RolloutJobError with the standard error of the first worker that did not start
   */
  async start(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.start()));
  }

  /** Drains and stops all workers. Returns how those that ran have ended. */
  async stop(): Promise<ChildEnd[]> {
    const ends = await Promise.all(this.#workers.map((worker) => worker.stop()));
    return ends.filter((end) => end !== undefined);
  }
}

/** Returns the arguments of a worker: those of the command, and later ones that take precedence over them. */
function workerArguments(options: WorkerFleetOptions, name: string): string[] {
  const { config, budgets, file, overrides, startedBy, folder } = options;
  const storage = workerFolder(config, name);
  return [
    ...withoutUnused(overrides, SERVE),
    ...(file === undefined ? [] : ["--config", file]),
    ...(startedBy === undefined ? [] : ["--started-by", startedBy]),
    "server.workers=1",
    // Probes ask the command's own process.
    "server.probe_port=null",
    "server.socket=null",
    `server.workers_folder=${folder}`,
    // Only the gateway calls workers that agents do not call.
    ...(config.gateway.direct === false && config.server.workers_folder === null
      ? ["server.host=127.0.0.1", "server.advertised_host=null"]
      : []),
    ...(storage === undefined ? [] : [`storage.directory=${storage}`]),
    ...Object.entries(budgets.keys).map(([key, value]) => `${key}=${value}`),
  ];
}
