import { sleep } from "../../support/async/sleep.js";
import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { hasEnded, isHopeless, type JobState, jobState } from "./job-state.js";

/** How often in a row Slurm may give no answer. */
const SILENCES = 60;

export interface WatchOptions {
  readonly job: JobSpec;
  readonly id: string;
  readonly signal?: AbortSignal | undefined;
  /** Hears of each change. */
  readonly onState?: ((state: JobState) => void) | undefined;
}

/**
 * Waits until a job has ended, requeued or not. Answers its last state, where Slurm still knows it.
 *
 * @throws {@link SchedulerError} `job_unplaced`, `job_stopped`, or `slurm_failed` where Slurm answers no more; the job may
 * go on
 */
export async function watch({ job, id, signal, onState }: WatchOptions): Promise<JobState | undefined> {
  const { poll_seconds, pending_seconds } = job.slurm;
  const patience = (pending_seconds ?? Number.POSITIVE_INFINITY) * 1000;
  let last: JobState | undefined;
  let waitsSince: number | undefined;
  for (;;) {
    const state = await ask(id, poll_seconds, signal);
    if (!state || hasEnded(state)) return state;
    if (state.state !== last?.state || state.reason !== last.reason) onState?.(state);
    last = state;
    waitsSince = state.state === "PENDING" ? (waitsSince ?? performance.now()) : undefined;
    if (isHopeless(state)) throw unplaced(id, state, "and no waiting will change that");
    if (waitsSince !== undefined && performance.now() - waitsSince > patience) {
      throw unplaced(id, state, `after slurm.pending_seconds, ${pending_seconds}`);
    }
    await pause(poll_seconds, signal);
  }
}

/** Slurm's controller may be away for some time, while jobs go on. */
async function ask(id: string, pollSeconds: number, signal: AbortSignal | undefined): Promise<JobState | undefined> {
  for (let silences = 1; ; silences++) {
    try {
      return await jobState(id);
    } catch (error) {
      if (silences >= SILENCES || (error instanceof SchedulerError && error.code === "slurm_missing")) throw error;
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

function unplaced(id: string, { reason }: JobState, when: string): SchedulerError {
  return new SchedulerError("job_unplaced", `Slurm has no machines for job ${id} (${reason}), ${when}.`);
}
