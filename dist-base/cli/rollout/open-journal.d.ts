import type { Config } from "../../config/index.js";
import type { JobJournal } from "../../leasing/job-journal.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";
export interface JournalSettings {
    readonly config: Config;
    readonly options: RolloutOptions;
    readonly tasks: readonly RolloutTask[];
}
/** Opens the records of the job on disk; undefined without `storage.directory`. */
export declare function openJournal({ config, options, tasks }: JournalSettings): Promise<JobJournal | undefined>;
