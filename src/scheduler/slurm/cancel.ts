import { setTimeout as sleep } from "node:timers/promises";
import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { slurm } from "./command.js";
import { hasEnded, jobState } from "./job-state.js";
import { stopSeconds } from "./submit.js";

/** How long Slurm may take to end a job that it was told to end. */
const CANCEL_SECONDS = 120;
const LOOK_SECONDS = 0.5;

/**
 * Ends a job and waits until Slurm has ended it. One that runs is asked first, so that it stops in order.
 *
 * @throws {@link SchedulerError} `slurm_failed` where it goes on
 */
export async function cancel(job: JobSpec, id: string): Promise<void> {
  if (await isRunning(id)) {
    // Asked, it stops in order. Where it cannot be asked, the order below will do.
    const asked = await slurm("scancel", ["--batch", "--signal=TERM", id]).then(
      () => true,
      () => false,
    );
    if (asked && (await isOverWithin(job, id, stopSeconds(job)))) return;
  }
  await slurm("scancel", [id]);
  if (await isOverWithin(job, id, CANCEL_SECONDS)) return;
  throw new SchedulerError("slurm_failed", `Job ${id} still runs ${CANCEL_SECONDS} seconds after scancel.`);
}

async function isRunning(id: string): Promise<boolean> {
  const state = await jobState(id).catch(() => undefined);
  return state?.state === "RUNNING";
}

async function isOverWithin(job: JobSpec, id: string, seconds: number): Promise<boolean> {
  const pause = Math.min(LOOK_SECONDS, job.slurm.poll_seconds);
  for (let waited = 0; waited < seconds; waited += pause) {
    if (await isOver(id)) return true;
    await sleep(pause * 1000);
  }
  return false;
}

/** Slurm may be away for a moment; then nobody knows. */
async function isOver(id: string): Promise<boolean> {
  try {
    const state = await jobState(id);
    return state === undefined || hasEnded(state);
  } catch {
    return false;
  }
}
