import { CodedError } from "../../support/coded-error.js";
/**
 * A rollout job that cannot run, or came to nothing.
 *
 * - `invalid_data`: data that cannot be read, or a line of it that is no task.
 * - `invalid_arguments`: options that do not go together, or an agent that cannot be made.
 * - `proxy_failed`: a proxy worker could not be started, or the proxy at `--proxy` is not ready.
 * - `engine_not_ready`: no server of the engine can serve calls.
 * - `trainer_failed`: the trainer program could not be started, or ended with another status than 0.
 * - `interrupted`: its user stopped it before an episode was accepted.
 * - `no_trajectories`: no episode was accepted; there is no batch.
 */
export type RolloutJobErrorCode =
  | "invalid_data"
  | "invalid_arguments"
  | "proxy_failed"
  | "engine_not_ready"
  | "trainer_failed"
  | "interrupted"
  | "no_trajectories";

export class RolloutJobError extends CodedError<RolloutJobErrorCode> {
  override readonly name = "RolloutJobError";
}
