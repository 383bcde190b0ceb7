import type { Logger } from "pino";
import { type Config } from "../../config/index.js";
import type { WorkerProcessState } from "../../gateway/context.js";
import type { ChildEnd } from "../../support/processes/child-end.js";
import type { WorkerBudgets } from "./divide-budgets.js";
import { type WorkerReadyLine } from "./worker-process.js";
export interface WorkerFleetOptions {
    readonly count: number;
    readonly config: Config;
    readonly budgets: WorkerBudgets;
    /** File and `key=value` arguments of the command. */
    readonly file: string | undefined;
    readonly overrides: readonly string[];
    readonly adminKey: string;
    /** Folder in which the workers register. */
    readonly folder: string;
    readonly logger: Logger;
    /** Is called when no worker is left that runs or is restarted. */
    readonly onAllFailed: () => void;
}
/** The servers of `server.workers`. */
export declare class WorkerFleet {
    #private;
    constructor(options: WorkerFleetOptions);
    get states(): readonly WorkerProcessState[];
    /** The last ready line of each worker. */
    get ready(): readonly (WorkerReadyLine & {
        readonly name: string;
    })[];
    /**
     * Starts all workers. Resolves when all accept calls.
     *
     * @throws RolloutJobError with the standard error of the first worker that did not start
     */
    start(): Promise<void>;
    /** Drains and stops all workers. Returns how those that ran have ended. */
    stop(): Promise<ChildEnd[]>;
}
