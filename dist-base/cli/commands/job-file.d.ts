import type { JobSpec } from "../../scheduler/job.js";
/**
 * Reads the description of a job from a YAML file.
 *
 * @throws {@link SchedulerError} `job_invalid`, each line with the file's name
 */
export declare function readJobFile(file: string): Promise<JobSpec>;
