import type { Logger } from "pino";
import type { Config } from "../../config/index.js";
import type { JobJournal } from "../../leasing/job-journal.js";
import { LeasedTasks } from "../../leasing/leased-tasks.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { RolloutJob } from "./rollout-job.js";
import type { RolloutOptions } from "./rollout-options.js";
export interface LeasesSettings {
    readonly config: Config;
    readonly options: Pick<RolloutOptions, "groupSize" | "timeout" | "transcripts">;
    readonly proxy: ConnectedProxy;
    readonly adminKey: string;
    readonly host: string;
    readonly port: number;
    readonly logger: Logger;
    readonly journal?: JobJournal | undefined;
}
/** The HTTP server that gives the tasks of this process's job to rollout workers. */
export interface OpenLeases extends AsyncDisposable {
    readonly url: string;
    readonly tasks: LeasedTasks;
    readonly groupSize: number;
    /** Sets the job whose counts the status shows. */
    attach(job: RolloutJob): void;
}
/** Starts the server. Workers may come before the job begins. */
export declare function openLeases(settings: LeasesSettings): Promise<OpenLeases>;
