import type { Logger } from "pino";
import { z } from "zod";
import type { WorkerProcessState } from "../../gateway/context.js";
import type { ChildEnd } from "../../support/processes/child-end.js";
/** The ready line of a worker. Fields that describe the model are the same for all workers. */
declare const readyLine: z.ZodObject<{
    url: z.ZodURL;
    worker_tag: z.ZodString;
    pid: z.ZodInt;
    not_ready: z.ZodOptional<z.ZodArray<z.ZodObject<{
        key: z.ZodString;
        message: z.ZodString;
    }, z.core.$strip>>>;
    warnings: z.ZodOptional<z.ZodArray<z.ZodObject<{
        key: z.ZodString;
        message: z.ZodString;
    }, z.core.$strip>>>;
}, z.core.$loose>;
export type WorkerReadyLine = z.output<typeof readyLine>;
export interface WorkerProcessOptions {
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
export declare class WorkerProcess {
    #private;
    readonly name: string;
    constructor({ name, args, nodeArguments, env, isStored, logger, onFailed }: WorkerProcessOptions);
    get state(): WorkerProcessState;
    /** The last ready line; undefined before the first one. */
    get ready(): WorkerReadyLine | undefined;
    /** Resolves when it accepts calls. */
    start(): Promise<void>;
    /** Drains and stops it. Returns how it ended; undefined if it did not run. */
    stop(): Promise<ChildEnd | undefined>;
}
export {};
