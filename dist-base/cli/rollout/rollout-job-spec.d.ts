import { type Config } from "../../config/index.js";
import type { JobSpec } from "../../scheduler/job.js";
import type { RolloutOptions } from "./rollout-options.js";
export interface RolloutJobSettings {
    readonly config: Config;
    readonly options: RolloutOptions;
    /** `key=value` arguments of the user. */
    readonly overrides: readonly string[];
    /** The job's folder, which all machines share. */
    readonly folder: string;
    readonly adminKey: string;
}
/**
 * Returns the job that runs a rollout as separate processes: engines, proxies behind a gateway, rollout workers beside the proxies,
 * and the controller.
 */
export declare function createRolloutJob(settings: RolloutJobSettings): JobSpec;
