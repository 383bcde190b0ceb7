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
 * What kept a process from giving a reward.
 *
 * - `not_serializable`: something of the agent, its data or its reward cannot travel between processes.
 * - `worker_start_failed`: a worker process ended before it took a task, twice in a row.
 * - `worker_exited`: the worker ended while it ran the agent.
 * - `program_not_started`: the program was not found or may not be run.
 * - `program_failed`: it ended with another status than 0, or by a signal.
 * - `invalid_program_output`: its standard output has no reward.
 * - `agent_timeout`: the process was still at work when its time was over. It was killed.
 * - `pool_closed`: the pool takes no more tasks.
 */
export type SubprocErrorCode = (typeof CODES)[number];

export class SubprocError extends CodedError<SubprocErrorCode> {
  override readonly name = "SubprocError";
}

export function isSubprocCode(code: string | undefined): code is SubprocErrorCode {
  return CODES.some((each) => each === code);
}
