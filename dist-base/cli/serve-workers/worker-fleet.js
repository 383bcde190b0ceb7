import { UNUSED_BY_SERVE, withoutUnused } from "../../config/index.js";
import { workerFolder } from "./worker-folders.js";
import { WorkerProcess } from "./worker-process.js";
/** The servers of `server.workers`. */
export class WorkerFleet {
    #workers;
    constructor(options) {
        const { count, config, budgets, adminKey, logger, onAllFailed } = options;
        const shared = {
            nodeArguments: budgets.nodeArguments,
            env: { ...process.env, ROLLTAPE_ADMIN_API_KEY: adminKey },
            isStored: config.storage.directory !== null,
            logger,
            onFailed: () => {
                if (this.states.every(({ status }) => status === "failed"))
                    onAllFailed();
            },
        };
        this.#workers = Array.from({ length: count }, (_, index) => {
            const name = `worker-${index}`;
            return new WorkerProcess({ name, args: workerArguments(options, name), ...shared });
        });
    }
    get states() {
        return this.#workers.map(({ state }) => state);
    }
    /** The last ready line of each worker. */
    get ready() {
        return this.#workers.flatMap(({ name, ready }) => (ready ? [{ ...ready, name }] : []));
    }
    /**
     * Starts all workers. Resolves when all accept calls.
     *
     * @throws RolloutJobError with the standard error of the first worker that did not start
     */
    async start() {
        await Promise.all(this.#workers.map((worker) => worker.start()));
    }
    /** Drains and stops all workers. Returns how those that ran have ended. */
    async stop() {
        const ends = await Promise.all(this.#workers.map((worker) => worker.stop()));
        return ends.filter((end) => end !== undefined);
    }
}
/** Returns the arguments of a worker: those of the command, and later ones that take precedence over them. */
function workerArguments({ config, budgets, file, overrides, folder }, name) {
    const storage = workerFolder(config, name);
    return [
        ...withoutUnused(overrides, UNUSED_BY_SERVE),
        ...(file === undefined ? [] : ["--config", file]),
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
//# sourceMappingURL=worker-fleet.js.map