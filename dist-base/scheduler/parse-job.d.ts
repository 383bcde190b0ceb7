import { type JobSpec } from "./job.js";
/**
 * Checks the description of a job and fills in the defaults.
 *
 * @throws {@link SchedulerError} `job_invalid` with one line per problem
 */
export declare function parseJob(written: unknown): JobSpec;
