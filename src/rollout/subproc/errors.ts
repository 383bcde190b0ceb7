import { CodedError } from "../../support/coded-error.js";

const CODES = [
  "not_serializable",
  "worker_start_failed",
  "worker_exited",
  "program_not_started",
  "program_failed",
  "invalid_program_output",
  "agent_timeout",
  "pool_closed",
] as const;

/**
 * Why a process gave no reward.
 *
 * - `not_serializable`: a part of the agent, its data or its reward cannot be sent between processes.
 * - `worker_start_failed`: worker processes ended before they accepted a task, one after the other.
 * - `worker_exited`: the worker process ended while it ran the agent.
 * - `program_not_started`: the program was not found or cannot be executed.
 * - `program_failed`: the program ended with a status other than 0, or by a signal.
 * - `invalid_program_output`: the program's standard output has no reward.
 * - `agent_timeout`: the process exceeded its time and was killed.
 * - `pool_closed`: the pool accepts no more tasks.
 */
export type SubprocErrorCode = (typeof CODES)[number];

export class SubprocError extends CodedError<SubprocErrorCode> {
  override readonly name = "SubprocError";
}

export function isSubprocCode(code: string | undefined): code is SubprocErrorCode {
  return CODES.some((known) => known === code);
}

/**
 * Returns the error of a task that ran too long.
 *
 * @param isCancelled true if only the task was cancelled; its process goes on
 */
export function createTimeout(seconds: number | undefined, isCancelled = false): SubprocError {
  const what = isCancelled ? "The agent was cancelled" : "The agent's process was killed";
  return new SubprocError("agent_timeout", `${what} because it exceeded its limit of ${seconds} seconds.`);
}
