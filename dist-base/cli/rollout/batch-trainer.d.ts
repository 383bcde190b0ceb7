import type { RolloutEngine } from "../../rollout/contract.js";
import { type Trainer, type TrainingResult, type TrainingStep } from "./trainer.js";
/** A program that is run for each batch, and loads the new weights into the engine before it ends. */
export declare class BatchTrainer implements Trainer {
    #private;
    constructor(command: readonly [string, ...string[]], engine: RolloutEngine);
    /**
     * Runs the program on a batch. The next version is one higher.
     *
     * The file is its last argument and in ROLLTAPE_BATCH. The next version is in ROLLTAPE_VERSION. Its output is forwarded
     * to this process's standard error.
     */
    train({ file, version: before }: TrainingStep, signal: AbortSignal): Promise<TrainingResult>;
    end(): Promise<void>;
}
