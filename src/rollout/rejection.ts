import { CodedError } from "../support/coded-error.js";
/**
 * Why an episode gives no trajectory.
 *
 * - `agent_error`: the agent threw.
 * - `invalid_reward`: it returned neither a finite number nor a mapping of completion ids to such.
 * - `no_model_calls`: it completed no model call.
 * - `unknown_interaction`: its mapping names a completion that the session does not have.
 * - `episode_timeout`: the time of the episode was over.
 * - `episode_aborted`: its caller gave it up.
 * - `start_failed`: the proxy granted no capacity, started no session, or could not be reached.
 * - `export_failed`: the session could not be rewarded, ended or exported.
 * - `group_incomplete`: another member of its group was rejected.
 * - `workflow_error`: a workflow of the user's own threw.
 */
export type RejectionCode =
  | "agent_error"
  | "invalid_reward"
  | "no_model_calls"
  | "unknown_interaction"
  | "episode_timeout"
  | "episode_aborted"
  | "start_failed"
  | "export_failed"
  | "group_incomplete"
  | "workflow_error";

/** The reason of a rejection. `cause` is what was thrown, where something was. */
export class Rejection extends CodedError<RejectionCode> {
  override readonly name = "Rejection";

  /** What was thrown, as the reason of a rejection. A rejection stays as it is. */
  static from(code: RejectionCode, error: unknown): Rejection {
    if (error instanceof Rejection) return error;
    return new Rejection(code, error instanceof Error ? error.message : String(error), { cause: error });
  }
}
