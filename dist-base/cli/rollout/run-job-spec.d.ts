import type { JobSpec } from "../../scheduler/job.js";
import { runScheduledJob } from "../../scheduler/schedule.js";
/**
 * Runs the processes of a job until its controller has ended, and reports progress on standard error.
 *
 * @returns false if the user stopped the job; the exit status is then set
 */
export declare function runJobSpec(type: Parameters<typeof runScheduledJob>[0], spec: JobSpec): Promise<boolean>;
export declare function report(text: string): void;
