import { CodedError } from "../support/coded-error.js";

const CODES = [
  "agent_error",
  "agent_refused",
  "invalid_reward",
  "no_model_calls",
  "unknown_interaction",
  "episode_timeout",
  "episode_aborted",
  "start_failed",
  "export_failed",
  "group_incomplete",
  "filtered",
  "workflow_error",
  "worker_lost",
  "proxy_lost",
] as const;

/**
 * Why an episode gives no trajectory.
 *
 * - `agent_error`: the agent threw.
 * - `agent_refused`: the agent threw an {@link AgentRefusal}.
 * - `invalid_reward`: the agent returned neither a finite number nor a mapping from completion ids to finite numbers.
 * - `no_model_calls`: the agent completed no model call.
 * - `unknown_interaction`: the agent's mapping names a completion that the session does not have.
 * - `episode_timeout`: the episode exceeded its time.
 * - `episode_aborted`: the caller aborted the episode.
 * - `start_failed`: the proxy granted no capacity, or started no session.
 * - `export_failed`: the session could not be rewarded, ended or exported.
 * - `group_incomplete`: another member of the group was rejected.
 * - `filtered`: a filter of the job left its group out of a batch, and with it every other group of the batch.
 * - `workflow_error`: a user's workflow threw, or returned an invalid result.
 * - `worker_lost`: every rollout worker that ran the task died or went silent, or the sessions were lost with their proxy.
 * - `proxy_lost`: the proxy could not be reached, or lost the session while the episode ran. A rollout job never counts this as a
 *   result: it runs the episode again.
 */
export type RejectionCode = (typeof CODES)[number];

export function isRejectionCode(code: string): code is RejectionCode {
  return CODES.some((known) => known === code);
}

/** The reason of a rejection. `cause` is the error that led to it, if there was one. */
export class Rejection extends CodedError<RejectionCode> {
  override readonly name = "Rejection";

  /** Converts a thrown value to a rejection. A rejection is returned as it is. */
  static from(code: RejectionCode, error: unknown): Rejection {
    if (error instanceof Rejection) return error;
    return new Rejection(code, error instanceof Error ? error.message : String(error), { cause: error });
  }
}
