import type { JobSpec } from "../job.js";
import type { JobState } from "./job-state.js";
export interface RunSlurmJobOptions {
    /** Stops the job. */
    readonly signal?: AbortSignal | undefined;
    /** Is called when the state of the job changes: `PENDING` with a reason, `RUNNING` with its machines. */
    readonly onState?: ((id: string, state: JobState) => void) | undefined;
}
/**
 * Runs a job as one Slurm job and waits for its end. All machines must share its folder.
 *
 * @throws {@link SchedulerError} after the job was cancelled. With `slurm_failed` the job may still run, because Slurm
 * does not answer.
 */
export declare function runSlurmJob(job: JobSpec, { signal, onState }?: RunSlurmJobOptions): Promise<void>;
