import type { Config } from "../../config/index.js";
import type { ProcessWatch } from "./process-watch.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutSummary } from "./summary.js";
export interface JobRun {
    readonly config: Config;
    readonly options: RolloutOptions;
    /** `key=value` arguments. */
    readonly overrides: readonly string[];
    readonly tasks: readonly RolloutTask[];
    readonly watch: ProcessWatch;
    /**
     * The place where agents run: this process, a number of rollout workers that it starts, or workers that come from elsewhere. These are
     * told the address with `onReady`.
     */
    readonly runners: "here" | {
        readonly workers: number;
    } | {
        readonly onReady: (url: string) => void;
    };
}
export interface EndedJob {
    readonly summary: RolloutSummary;
    readonly failure: Error | undefined;
}
/** Runs a job: opens a proxy and what runs agents, runs every task, and closes everything. */
export declare function runJob(run: JobRun): Promise<EndedJob>;
