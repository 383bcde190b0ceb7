import { z } from "zod";
import type { JobSpec } from "../job.js";
/** The outcome of a job, which the job itself writes. */
declare const outcomeSchema: z.ZodObject<{
    state: z.ZodEnum<{
        done: "done";
        failed: "failed";
        stopped: "stopped";
    }>;
    message: z.ZodString;
    job_id: z.ZodString;
    requeues: z.ZodInt;
}, z.core.$strip>;
export type Outcome = z.output<typeof outcomeSchema>;
export declare function removeOutcome(job: JobSpec): void;
export declare function writeOutcome(job: JobSpec, outcome: Outcome): void;
/** Returns the outcome; undefined if the job wrote none, for example because Slurm killed it. */
export declare function readOutcome(job: JobSpec): Outcome | undefined;
export {};
