import type { JobSpec } from "../job.js";
/**
 * Ends a job and waits until Slurm has ended it. A running job is first asked to stop in order.
 *
 * @throws {@link SchedulerError} `slurm_failed` if the job does not end
 */
export declare function cancel(job: JobSpec, id: string): Promise<void>;
