import { BatchTrainer } from "./batch-trainer.js";
import { RolloutJobError } from "./errors.js";
import type { JobSetup } from "./job-setup.js";
import { PersistentTrainer } from "./persistent-trainer.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { Trainer } from "./trainer.js";

/** @throws RolloutJobError `invalid_arguments` if there is a mode without a trainer */
export function assertTrainer({ trainer, trainerMode }: Pick<RolloutOptions, "trainer" | "trainerMode">): void {
  if (trainerMode === undefined || trainer !== undefined) return;
  throw new RolloutJobError("invalid_arguments", "--trainer-mode requires --trainer");
}

/** Creates the trainer of a job, if it has one. `onFailure` is called if a persistent one fails while it has no batch. */
export function createTrainer(
  { options, proxy: engine, journal }: Pick<JobSetup, "options" | "proxy" | "journal">,
  onFailure: (error: Error) => void,
): Trainer | undefined {
  const { trainer: command, trainerMode = "batch", fromVersion = 0 } = options;
  const version = (journal?.isResumed && journal.version) || fromVersion;
  if (command === undefined) return undefined;
  if (trainerMode === "batch") return new BatchTrainer(command, engine);
  return new PersistentTrainer({ command, engine, version, onFailure });
}
