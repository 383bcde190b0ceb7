import type { RolloutEngine } from "../../rollout/contract.js";
import { RolloutJobError } from "./errors.js";

/** A batch for a trainer. */
export interface TrainingStep {
  /** The batch, a safetensors file. */
  readonly file: string;
  /** Number of the batch in this job, from 0. */
  readonly step: number;
  /** The weight version before the step. */
  readonly version: number;
  /** Number of tasks in the batch. */
  readonly tasks: number;
}

/** The result of a training step. */
export interface TrainingResult {
  /** The weight version after the step, at least the one before. */
  readonly version: number;
  /** Weights that the job must load into the engine. Undefined if the trainer has done so. */
  readonly weights?: string | undefined;
  /** Metrics of the step, as the program has reported them. */
  readonly metrics?: readonly unknown[];
}

/** The program that trains on the batches of a job. */
export interface Trainer {
  /** @throws RolloutJobError `trainer_failed`, or the signal's reason */
  train(step: TrainingStep, signal: AbortSignal): Promise<TrainingResult>;
  /**
   * Ends the program: it may finish its work, until the signal aborts.
   *
   * @throws RolloutJobError `trainer_failed`
   */
  end(signal: AbortSignal): Promise<void>;
}

/** Returns the environment of a trainer: this process's own, and where the proxy is. */
export function createTrainerEnvironment({ url, adminKey }: RolloutEngine, version: number): NodeJS.ProcessEnv {
  const { env } = process;
  return { ...env, ROLLTAPE_URL: url, ROLLTAPE_ADMIN_KEY: adminKey, ROLLTAPE_VERSION: String(version) };
}

export function trainerFailed(why: string): RolloutJobError {
  return new RolloutJobError("trainer_failed", `the trainer failed: ${why}`);
}
