import { sleep } from "../../support/async/sleep.js";
import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { slurm } from "./command.js";
import { hasJobEnded, readSlurmJobState } from "./job-state.js";
import { countStopSeconds } from "./submit.js";

/** Maximum time that Slurm may take to end a cancelled job. */
const CANCEL_SECONDS = 120;
const POLL_SECONDS = 0.5;

/**
 * Ends a job and waits until Slurm has ended it. A running job is first asked to stop in order.
 *
 * @throws {@link SchedulerError} `slurm_failed` if the job does not end
 */
export async function cancel(job: JobSpec, id: string): Promise<void> {
  if (await isRunning(id)) {
    // If the signal cannot be sent, the scancel below ends the job without order.
    const asked = await slurm("scancel", ["--batch", "--signal=TERM", id]).then(
      () => true,
      () => false,
    );
    if (asked && (await isOverWithin(job, id, countStopSeconds(job)))) return;
  }
  await slurm("scancel", [id]);
  if (await isOverWithin(job, id, CANCEL_SECONDS)) return;
  throw new SchedulerError("slurm_failed", `Job ${id} is still running ${CANCEL_SECONDS} seconds after scancel.`);
}

async function isRunning(id: string): Promise<boolean> {
  const state = await readSlurmJobState(id).catch(() => undefined);
  return state?.state === "RUNNING";
}

async function isOverWithin(job: JobSpec, id: string, seconds: number): Promise<boolean> {
  const pause = Math.min(POLL_SECONDS, job.slurm.poll_seconds);
  for (let waited = 0; waited < seconds; waited += pause) {
    if (await isOver(id)) return true;
    await sleep(pause * 1000);
  }
  return false;
}

/** Returns true if the job is known to have ended; false if it has not, or if Slurm does not answer. */
async function isOver(id: string): Promise<boolean> {
  try {
    const state = await readSlurmJobState(id);
    return state === undefined || hasJobEnded(state);
  } catch {
    return false;
  }
}
