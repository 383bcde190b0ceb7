import { BatchTrainer } from "./batch-trainer.js";
import { readStartVersion } from "./job-setup.js";
import { PersistentTrainer } from "./persistent-trainer.js";
/** Creates the trainer of a job, if it has one. `onFailure` is called if a persistent one fails while it has no batch. */
export function createTrainer(job, onFailure) {
    const { options, proxy: engine } = job;
    const { trainer: command, trainerMode = "batch" } = options;
    if (command === undefined)
        return undefined;
    if (trainerMode === "batch")
        return new BatchTrainer(command, engine);
    return new PersistentTrainer({ command, engine, version: readStartVersion(job) ?? 0, onFailure });
}
//# sourceMappingURL=create-trainer.js.map