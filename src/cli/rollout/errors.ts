import { CodedError } from "../../support/coded-error.js";

/**
 * Why a rollout job cannot run, or produced no batch.
 *
 * - `invalid_data`: the tasks cannot be read, or a line is not a task.
 * - `invalid_arguments`: options contradict each other, or the agent cannot be created.
 * - `proxy_failed`: a proxy worker could not be started, or the proxy at `--proxy` is not ready.
 * - `proxy_lost`: the proxy did not answer for `rollout.proxy_wait_seconds`.
 * - `engine_not_ready`: no server of the engine can serve calls.
 * - `trainer_failed`: the trainer program could not be started, or ended with a status other than 0.
 * - `interrupted`: the user stopped the job before an episode was accepted.
 * - `no_trajectories`: no episode was accepted, so there is no batch.
 */
export type RolloutJobErrorCode =
  | "invalid_data"
  | "invalid_arguments"
  | "proxy_failed"
  | "proxy_lost"
  | "engine_not_ready"
  | "trainer_failed"
  | "interrupted"
  | "no_trajectories";

export class RolloutJobError extends CodedError<RolloutJobErrorCode> {
  override readonly name = "RolloutJobError";
}
