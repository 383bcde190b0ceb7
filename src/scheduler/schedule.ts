import type { JobSpec } from "./job.js";
import type { JobState } from "./slurm/job-state.js";
import { runSlurmJob } from "./slurm/run.js";
import { type RunJobOptions, runJob } from "./supervisor.js";

/** How the processes of a job are started: on this machine (`local`), or by Slurm on several machines. */
export type SchedulerType = "local" | "slurm";

export interface ScheduleOptions {
  /** Stops the job in order. */
  readonly signal?: AbortSignal | undefined;
  /** Is called when a job on this machine failed and its proxies are kept, because they have sessions that were not exported. */
  readonly onKept?: RunJobOptions["onKept"];
  /** Is called when the state of the job in Slurm changes: why it waits, and where it runs. */
  readonly onState?: ((id: string, state: JobState) => void) | undefined;
}

/**
 * Runs a job and waits for its end.
 *
 * @throws SchedulerError after everything was stopped
 */
export async function runScheduledJob(type: SchedulerType, job: JobSpec, options: ScheduleOptions = {}): Promise<void> {
  return type === "slurm" ? runSlurmJob(job, options) : runJob(job, options);
}
