import { type JobSpec } from "./job.js";
import type { Launcher } from "./launcher.js";
export interface RunJobOptions {
    /** Default: starts everything on this machine. */
    readonly launcher?: Launcher;
    /** Stops the job. */
    readonly signal?: AbortSignal | undefined;
}
/**
 * Runs a job.
 *
 * 1. Start the roles in order. A role starts when all processes of the previous role are ready.
 * 2. Restart processes that end too early.
 * 3. When the controller has ended, stop all roles in the opposite order.
 *
 * @throws {@link SchedulerError} `job_failed` or `job_stopped`, after everything was stopped
 */
export declare function runJob(job: JobSpec, { launcher, signal }?: RunJobOptions): Promise<void>;
