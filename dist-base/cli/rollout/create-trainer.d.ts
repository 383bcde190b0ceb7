import { type JobSetup } from "./job-setup.js";
import type { Trainer } from "./trainer.js";
/** Creates the trainer of a job, if it has one. `onFailure` is called if a persistent one fails while it has no batch. */
export declare function createTrainer(job: Pick<JobSetup, "options" | "proxy" | "journal">, onFailure: (error: Error) => void): Trainer | undefined;
