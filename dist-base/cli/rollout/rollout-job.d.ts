import { BatchFiles } from "./batch-files.js";
import { type JobSetup } from "./job-setup.js";
import type { StoppableJob } from "./process-watch.js";
import { RolloutTally } from "./tally.js";
export interface JobOutcome {
    readonly tally: RolloutTally;
    readonly batches: BatchFiles;
    /** Number of tokens that the engine sampled. */
    readonly sampledTokens: number;
    /** Where the errors of rejected episodes are; undefined if no episode was rejected. */
    readonly errors: string | undefined;
    readonly interrupted: boolean;
    /**
     * Why the job stopped early, if not by its user: the trainer failed, an error was not caught, or a batch was not
     * exported or is not in its file.
     */
    readonly failure: Error | undefined;
}
/** One job: runs every task, writes the accepted ones as batches, and runs the trainer on each batch. */
export declare class RolloutJob implements StoppableJob {
    #private;
    constructor(job: JobSetup);
    /**
     * Runs the job to its end, or until a signal, a failed trainer, a batch that cannot be written or an uncaught error
     * stops it. Tasks that have finished by then are written.
     *
     * @throws if no batch was written: the error that stopped the job, else RolloutJobError `no_trajectories` or
     * `interrupted`
     */
    run(): Promise<JobOutcome>;
    /** Counts of the job for its controller's status. */
    get counts(): {
        submitted: number;
        waiting: number;
        accepted: number;
        rejected: number;
        version: number;
    };
    /** Stops the job for its user. */
    interrupt(): void;
    /** Stops the job because of an error. Only the first error counts. */
    fail(error: Error): void;
}
