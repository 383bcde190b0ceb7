import type { JobSpec } from "./job.js";
import type { JobState } from "./slurm/job-state.js";
import { runSlurmJob } from "./slurm/run.js";
import { runJob } from "./supervisor.js";

/** What starts the processes of a job: this machine, or Slurm on many. */
export type SchedulerType = "local" | "slurm";

export interface ScheduleOptions {
  /** Stops the job, in order. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of the job's way through Slurm: that it waits and why, and where it runs. */
  readonly onState?: ((id: string, state: JobState) => void) | undefined;
}

/**
 * Runs a job and waits for its end.
 *
 * @throws SchedulerError with everything stopped
 */
export async function runScheduledJob(type: SchedulerType, job: JobSpec, options: ScheduleOptions = {}): Promise<void> {
  return type === "slurm" ? runSlurmJob(job, options) : runJob(job, options);
}
