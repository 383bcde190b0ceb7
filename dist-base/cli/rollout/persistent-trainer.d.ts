import type { RolloutEngine } from "../../rollout/contract.js";
import { type Trainer, type TrainingResult, type TrainingStep } from "./trainer.js";
export interface PersistentTrainerOptions {
    readonly command: readonly [string, ...string[]];
    readonly engine: RolloutEngine;
    /** Weight version at the start. */
    readonly version: number;
    /** Called if the program fails, also while it has no batch. */
    readonly onFailure: (error: Error) => void;
}
/**
 * One program for all batches of a job. It reads a JSON line for each batch on its standard input, and writes a JSON line
 * on its standard output when it has consumed it. Other lines of its output go to this process's standard error.
 */
export declare class PersistentTrainer implements Trainer {
    #private;
    constructor({ command: [program, ...args], engine, version, onFailure }: PersistentTrainerOptions);
    train({ file, step, version, tasks }: TrainingStep, signal: AbortSignal): Promise<TrainingResult>;
    /** Closes the program's standard input. If the signal aborts, the program gets SIGTERM, and later SIGKILL. */
    end(signal: AbortSignal): Promise<void>;
}
