import { sleep } from "../../support/async/sleep.js";
import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { hasJobEnded, isHopeless, type JobState, readSlurmJobState } from "./job-state.js";

/** Maximum number of failed queries in a row. */
const MAX_FAILURES = 60;

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
export async function watch({ job, id, signal, onState }: WatchOptions): Promise<JobState | undefined> {
  const { poll_seconds, pending_seconds } = job.slurm;
  const maxPendingMs = (pending_seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let last: JobState | undefined;
  let pendingSince: number | undefined;
  for (;;) {
    const state = await queryState(id, poll_seconds, signal);
    if (!state || hasJobEnded(state)) return state;
    if (state.state !== last?.state || state.reason !== last.reason) onState?.(state);
    last = state;
    pendingSince = state.state === "PENDING" ? (pendingSince ?? performance.now()) : undefined;
    if (isHopeless(state)) throw unplaced(id, state, "Waiting does not help");
    if (pendingSince !== undefined && performance.now() - pendingSince > maxPendingMs) {
      throw unplaced(id, state, `It waited for slurm.pending_seconds, ${pending_seconds}`);
    }
    await pause(poll_seconds, signal);
  }
}

/** Queries the state and repeats failed queries, because Slurm's controller may be away for a while. */
async function queryState(
  id: string,
  pollSeconds: number,
  signal: AbortSignal | undefined,
): Promise<JobState | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      return await readSlurmJobState(id);
    } catch (error) {
      if (failures >= MAX_FAILURES || (error instanceof SchedulerError && error.code === "slurm_missing")) throw error;
      await pause(pollSeconds, signal);
    }
  }
}

async function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(seconds * 1000, signal);
  } catch (cause) {
    throw new SchedulerError("job_stopped", "The job was stopped.", { cause });
  }
}

function unplaced(id: string, { reason }: JobState, explanation: string): SchedulerError {
  return new SchedulerError("job_unplaced", `Slurm has no machines for job ${id} (${reason}). ${explanation}.`);
}
