import { className } from "../class-name.js";
import type { AgentSource } from "./agent-source.js";
import { isSubprocCode, SubprocError } from "./errors.js";
import type { Environment } from "./task-environment.js";

/** What a worker process is told. It runs one task at a time. */
export type WorkerTask =
  | { readonly type: "load"; readonly agent: AgentSource }
  | { readonly type: "run"; readonly agent: AgentSource; readonly data: unknown; readonly environment: Environment };

/** A task as it is sent: what the worker says of it has its number. */
export type SentTask = WorkerTask & { readonly id: number };

/** An error as it travels. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
}

/**
 * What a worker process says: that it has the task, and what came of it. `reusable`: the agent left nothing at work that
 * could meet the next task.
 */
export type WorkerMessage = { readonly id: number } & (
  | { readonly type: "started" }
  | { readonly type: "done"; readonly value: unknown; readonly reusable: boolean }
  | { readonly type: "failed"; readonly error: SentError; readonly reusable: boolean }
);

/** Whatever was thrown: agents throw what they like, and it may well throw when it is looked at. */
export function sendable(error: unknown): SentError {
  try {
    if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined, code: undefined };
    const { message, stack, code } = error as Error & { readonly code?: unknown };
    // Any of them may have been set to anything.
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    return { name: className(error), message: String(message), stack: text(stack), code: text(code) };
  } catch {
    return { name: "Error", message: "The agent threw what cannot be described.", stack: undefined, code: undefined };
  }
}

/** The error again, with the stack that it had in its own process. */
export function received({ name, message, stack, code }: SentError): Error {
  const own = name === "SubprocError" && isSubprocCode(code) ? new SubprocError(code, message) : undefined;
  const error = own ?? Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
