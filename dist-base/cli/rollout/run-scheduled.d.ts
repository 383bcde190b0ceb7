import { type Config } from "../../config/index.js";
import type { RolloutOptions } from "./rollout-options.js";
export interface ScheduledRollout {
    readonly config: Config;
    readonly options: RolloutOptions & {
        readonly jobFolder: string;
    };
    /** `key=value` arguments of the user. */
    readonly overrides: readonly string[];
}
/** Runs a rollout as processes of their own, on this machine or over Slurm, and prints the summary of its controller. */
export declare function runScheduledRollout({ config, options, overrides }: ScheduledRollout): Promise<void>;
