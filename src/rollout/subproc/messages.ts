import { readClassName } from "../class-name.js";
import type { ProcessMessage } from "./agent-process.js";
import type { AgentSource } from "./agent-source.js";
import { isSubprocCode, SubprocError } from "./errors.js";
import type { Environment } from "./task-environment.js";

/** A task for a worker process, which runs one task at a time. */
export type WorkerTask =
  | { readonly type: "load"; readonly agent: AgentSource }
  | { readonly type: "run"; readonly agent: AgentSource; readonly data: unknown; readonly environment: Environment };

/** A task with its id, which is repeated in the worker's messages about it. */
export type SentTask = WorkerTask & { readonly id: number };

/** An error in the form in which it is sent to another process. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
}

/**
 * A message of a worker process. `reusable`: the agent left no timer, request or process behind that could disturb the
 * next task.
 */
export type WorkerMessage =
  | Extract<ProcessMessage, { readonly type: "done" }>
  | { readonly type: "started"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly error: SentError; readonly reusable: boolean };

/** Converts a thrown value so that it can be sent. Agents may throw anything, even values whose properties throw. */
export function encodeError(error: unknown): SentError {
  try {
    if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined, code: undefined };
    const { message, stack, code } = error as Error & { readonly code?: unknown };
    // The properties of an error may have any type.
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    return { name: readClassName(error), message: String(message), stack: text(stack), code: text(code) };
  } catch {
    return {
      name: "Error",
      message: "The agent threw a value that cannot be described.",
      stack: undefined,
      code: undefined,
    };
  }
}

/** Recreates an error that was sent, with its stack in the other process. */
export function decodeError({ name, message, stack, code }: SentError): Error {
  const subprocError = name === "SubprocError" && isSubprocCode(code) ? new SubprocError(code, message) : undefined;
  const error = subprocError ?? Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
  if (stack !== undefined) error.stack = stack;
  return error;
}
