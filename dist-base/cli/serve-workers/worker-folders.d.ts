import { type Config } from "../../config/index.js";
/** Returns the storage folder of a worker; undefined if sessions are not stored. */
export declare function workerFolder({ storage: { directory } }: Config, name: string): string | undefined;
/**
 * Refuses a storage folder with sessions that no worker would have: those of a single server, or of more workers.
 *
 * @throws ConfigError `config_invalid`
 */
export declare function refuseOtherSessions({ storage: { directory } }: Config, workers: number): void;
/** Returns a warning if the folder of a single server has sessions of workers, which the server does not use. */
export declare function describeUnusedWorkers({ storage: { directory } }: Config): string | undefined;
