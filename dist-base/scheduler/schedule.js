import { runSlurmJob } from "./slurm/run.js";
import { runJob } from "./supervisor.js";
/**
 * Runs a job and waits for its end.
 *
 * @throws SchedulerError after everything was stopped
 */
export async function runScheduledJob(type, job, options = {}) {
    return type === "slurm" ? runSlurmJob(job, options) : runJob(job, options);
}
//# sourceMappingURL=schedule.js.map