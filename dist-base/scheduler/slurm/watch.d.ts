import type { JobSpec } from "../job.js";
import { type JobState } from "./job-state.js";
export interface WatchOptions {
    readonly job: JobSpec;
    readonly id: string;
    readonly signal?: AbortSignal | undefined;
    /** Is called when the state changes. */
    readonly onState?: ((state: JobState) => void) | undefined;
}
/**
 * Waits until a job has ended, also if Slurm restarts it meanwhile. Returns its last state, if Slurm still knows it.
 *
 * @throws {@link SchedulerError} `job_unplaced`, `job_stopped`, or `slurm_failed` if Slurm no longer answers; the job
 * may still run then
 */
export declare function watch({ job, id, signal, onState }: WatchOptions): Promise<JobState | undefined>;
