import { SchedulerError } from "../errors.js";
import { cancel } from "./cancel.js";
import { readOutcome } from "./outcome.js";
import { submit } from "./submit.js";
import { watch } from "./watch.js";
/**
 * Runs a job as one Slurm job and waits for its end. All machines must share its folder.
 *
 * @throws {@link SchedulerError} after the job was cancelled. With `slurm_failed` the job may still run, because Slurm
 * does not answer.
 */
export async function runSlurmJob(job, { signal, onState } = {}) {
    if (signal?.aborted)
        throw new SchedulerError("job_stopped", "The job was stopped.");
    const id = await submit(job);
    let last;
    try {
        last = await watch({ job, id, signal, onState: (state) => onState?.(id, state) });
    }
    catch (error) {
        if (error instanceof SchedulerError && error.code !== "slurm_failed")
            await cancel(job, id);
        throw error;
    }
    assertDone(job, id, last);
}
/** Throws unless the job is done. The outcome that the job wrote counts. Without one, Slurm ended the job. */
function assertDone(job, id, last) {
    const outcome = readOutcome(job);
    if (outcome?.state === "done")
        return;
    const logs = `Its logs are in ${job.folder}/logs.`;
    if (outcome?.state === "failed")
        throw new SchedulerError("job_failed", `${outcome.message}\n${logs}`);
    const how = last ? `${last.state} (${last.reason})` : "unknown, because Slurm has forgotten it";
    if (outcome?.state === "stopped") {
        const why = "its time limit was near, or somebody cancelled it";
        throw new SchedulerError("job_stopped", `Job ${id} was stopped from outside: ${why}. Its state is ${how}. ${logs}`);
    }
    const code = last?.state === "CANCELLED" ? "job_stopped" : "job_failed";
    throw new SchedulerError(code, `Job ${id} ended without writing an outcome. Its state is ${how}. ${logs}`);
}
//# sourceMappingURL=run.js.map