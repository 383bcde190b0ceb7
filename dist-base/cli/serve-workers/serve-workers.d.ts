import type { Logger } from "pino";
import { type AdminKey, type Config } from "../../config/index.js";
export interface ServeWorkersOptions {
    readonly count: number;
    readonly config: Config;
    /** File and `key=value` arguments of the command. */
    readonly file: string | undefined;
    readonly overrides: readonly string[];
    readonly admin: AdminKey;
    readonly logger: Logger;
}
/**
 * Runs several servers behind a gateway in this process, until a signal stops them.
 *
 * 1. Open the port for probes.
 * 2. Start the workers, each with its part of the budgets and a storage folder of its own.
 * 3. Start the gateway, which finds them in a folder, at the address of the configuration.
 * 4. Print the ready line.
 *
 * A stop drains the workers first. Meanwhile the gateway forwards calls, so that ended sessions can be exported.
 */
export declare function serveWorkers(options: ServeWorkersOptions): Promise<void>;
