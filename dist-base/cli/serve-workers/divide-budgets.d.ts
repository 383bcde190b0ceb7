import type { Config } from "../../config/index.js";
/** Budgets that the workers of one command share. */
export interface Machine {
    /** Memory that the command may use. */
    readonly memoryBytes: number;
    /** V8's limit of the heap of one process. */
    readonly heapBytes: number;
    readonly nodeOptions: string;
}
/** The part of one worker. */
export interface WorkerBudgets {
    /** Configuration keys with their values for one worker. */
    readonly keys: Readonly<Record<string, number>> & {
        readonly "server.body_bytes_in_flight": number;
    };
    readonly nodeArguments: readonly string[];
}
export declare function readMachine(env?: NodeJS.ProcessEnv): Machine;
/** Divides memory, connections and calls at the engine among `workers`. Limits of one session or one request stay as they are. */
export declare function divideBudgets(config: Config, workers: number, machine?: Machine): WorkerBudgets;
