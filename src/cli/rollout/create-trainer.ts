import { BatchTrainer } from "./batch-trainer.js";
import { type JobSetup, readStartVersion } from "./job-setup.js";
import { PersistentTrainer } from "./persistent-trainer.js";
import type { Trainer } from "./trainer.js";

/** Creates the trainer of a job, if it has one. `onFailure` is called if a persistent one fails while it has no batch. */
export function createTrainer(
  job: Pick<JobSetup, "options" | "proxy" | "store">,
  onFailure: (error: Error) => void,
): Trainer | undefined {
  const { options, proxy: engine } = job;
  const { trainer: command, trainerMode = "batch" } = options;
  if (command === undefined) return undefined;
  if (trainerMode === "batch") return new BatchTrainer(command, engine);
  return new PersistentTrainer({ command, engine, version: readStartVersion(job) ?? 0, onFailure });
}
