import type { JobSpec } from "../job.js";
/** Returns the maximum time that a job takes to stop in order, role after role. */
export declare function countStopSeconds({ roles, stop_seconds }: JobSpec): number;
/**
 * Submits a job to Slurm, which starts it when it has machines for it. Returns Slurm's id of the job.
 *
 * @throws {@link SchedulerError} `job_invalid`, `slurm_missing`, or `job_unplaced` if Slurm refuses the job
 */
export declare function submit(job: JobSpec): Promise<string>;
