import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { className } from "../rollout/class-name.js";
import type { TaskResult } from "../rollout/controller/task.js";
import { SubprocError } from "../rollout/subproc/error.js";
import { standardErrorOf, withoutTail } from "../rollout/subproc/standard-error.js";

/** Writes each rejected episode as a JSON line: why it was rejected, with the stack and the standard error of its agent. */
export class RolloutErrorLog {
  readonly #file: string;
  #descriptor: number | undefined;
  #failure: string | undefined;

  /** @param out the batch's file; the log has its name with `.errors.jsonl` behind it. One of an earlier job is removed. */
  constructor(out: string) {
    this.#file = `${out}.errors.jsonl`;
    rmSync(this.#file, { force: true });
  }

  /** Describes where the errors are; undefined without a rejected episode. */
  get place(): string | undefined {
    if (this.#failure !== undefined) return `${this.#file} is not complete: ${this.#failure}`;
    return this.#descriptor === undefined ? undefined : this.#file;
  }

  /** A file that cannot be written ends the log, not the job. */
  add(result: TaskResult): void {
    if (result.rejected.length === 0 || this.#failure !== undefined) return;
    try {
      this.#descriptor ??= openSync(this.#file, "w");
      writeWhole(
        this.#descriptor,
        recordsOf(result)
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(""),
      );
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

function recordsOf({ index, taskId, rejected }: TaskResult) {
  return rejected.map(({ sessionId, groupId, reason }) => {
    const errors = standardErrorOf(reason.cause);
    return {
      task: index,
      task_id: taskId,
      session_id: sessionId ?? null,
      group_id: groupId ?? null,
      code: reason.code,
      message: withoutTail(reason.message, errors),
      error: describeThrown(reason.cause),
      standard_error: errors === "" ? null : errors,
    };
  });
}

/** What was thrown, where something was. */
function describeThrown(cause: unknown) {
  if (cause === undefined) return null;
  const { code, stack, cause: next } = cause instanceof Error ? (cause as Error & { readonly code?: unknown }) : {};
  return {
    class: className(cause),
    code: typeof code === "string" ? code : null,
    // Of a process that failed, the stack is that of the job.
    stack: typeof stack === "string" && !(cause instanceof SubprocError) ? stack : null,
    cause: next instanceof Error ? `${className(next)}: ${next.message}` : null,
  };
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}
