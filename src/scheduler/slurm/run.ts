import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { cancel } from "./cancel.js";
import type { JobState } from "./job-state.js";
import { readOutcome } from "./outcome.js";
import { submit } from "./submit.js";
import { watch } from "./watch.js";

export interface RunSlurmJobOptions {
  /** Stops the job. */
  readonly signal?: AbortSignal | undefined;
  /** Hears where the job is: `PENDING` and why, `RUNNING` and where. */
  readonly onState?: ((id: string, state: JobState) => void) | undefined;
}

/**
 * Runs a job on machines of Slurm, as one job, and waits for its end. Its folder must be one that all of them share.
 *
 * @throws {@link SchedulerError} with the job cancelled, but for `slurm_failed` where Slurm does not answer
 */
export async function runSlurmJob(job: JobSpec, { signal, onState }: RunSlurmJobOptions = {}): Promise<void> {
  if (signal?.aborted) throw new SchedulerError("job_stopped", "The job was stopped.");
  const id = await submit(job);
  let last: JobState | undefined;
  try {
    last = await watch({ job, id, signal, onState: (state) => onState?.(id, state) });
  } catch (error) {
    if (error instanceof SchedulerError && error.code !== "slurm_failed") await cancel(job, id);
    throw error;
  }
  judge(job, id, last);
}

/** What the job says of itself counts; where it says nothing, Slurm ended it. */
function judge(job: JobSpec, id: string, last: JobState | undefined): void {
  const outcome = readOutcome(job);
  if (outcome?.state === "done") return;
  const logs = `Its logs are in ${job.folder}/logs.`;
  if (outcome?.state === "failed") throw new SchedulerError("job_failed", `${outcome.message}\n${logs}`);
  const how = last ? `${last.state} (${last.reason})` : "forgotten by Slurm";
  if (outcome?.state === "stopped") {
    const why = "its time was nearly over, or somebody cancelled it";
    throw new SchedulerError("job_stopped", `Job ${id} was stopped from outside: ${why}. Slurm says ${how}. ${logs}`);
  }
  const code = last?.state === "CANCELLED" ? "job_stopped" : "job_failed";
  throw new SchedulerError(code, `Job ${id} is ${how} and came to no end of its own. ${logs}`);
}
