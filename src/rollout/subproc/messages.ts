import type { AgentSource } from "./agent-source.js";
import type { Environment } from "./task-environment.js";

/** What a worker process is told. It runs one task at a time. */
export type WorkerTask =
  | { readonly type: "load"; readonly agent: AgentSource }
  | { readonly type: "run"; readonly agent: AgentSource; readonly data: unknown; readonly environment: Environment };

/** An error as it travels. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/**
 * What a worker process says: that it has the task, and what came of it. `reusable`: the agent left nothing at work that
 * could meet the next task.
 */
export type WorkerMessage =
  | { readonly type: "started" }
  | { readonly type: "done"; readonly value: unknown; readonly reusable: boolean }
  | { readonly type: "failed"; readonly error: SentError; readonly reusable: boolean };

export function sendable(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined };
  return { name: error.name, message: error.message, stack: error.stack };
}

/** The error again, with the stack that it had in its own process. */
export function received({ name, message, stack }: SentError): Error {
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
