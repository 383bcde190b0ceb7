import { setTimeout as sleep } from "node:timers/promises";
import { SchedulerError } from "../errors.js";
import { slurm } from "./command.js";
import { hasEnded, readJobState } from "./job-state.js";
import { countStopSeconds } from "./submit.js";
/** Maximum time that Slurm may take to end a cancelled job. */
const CANCEL_SECONDS = 120;
const POLL_SECONDS = 0.5;
/**
 * Ends a job and waits until Slurm has ended it. A running job is first asked to stop in order.
 *
 * @throws {@link SchedulerError} `slurm_failed` if the job does not end
 */
export async function cancel(job, id) {
    if (await isRunning(id)) {
        // If the signal cannot be sent, the scancel below ends the job without order.
        const asked = await slurm("scancel", ["--batch", "--signal=TERM", id]).then(() => true, () => false);
        if (asked && (await isOverWithin(job, id, countStopSeconds(job))))
            return;
    }
    await slurm("scancel", [id]);
    if (await isOverWithin(job, id, CANCEL_SECONDS))
        return;
    throw new SchedulerError("slurm_failed", `Job ${id} is still running ${CANCEL_SECONDS} seconds after scancel.`);
}
async function isRunning(id) {
    const state = await readJobState(id).catch(() => undefined);
    return state?.state === "RUNNING";
}
async function isOverWithin(job, id, seconds) {
    const pause = Math.min(POLL_SECONDS, job.slurm.poll_seconds);
    for (let waited = 0; waited < seconds; waited += pause) {
        if (await isOver(id))
            return true;
        await sleep(pause * 1000);
    }
    return false;
}
/** Returns true if the job is known to have ended; false if it has not, or if Slurm does not answer. */
async function isOver(id) {
    try {
        const state = await readJobState(id);
        return state === undefined || hasEnded(state);
    }
    catch {
        return false;
    }
}
//# sourceMappingURL=cancel.js.map