import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import type { TaskResult } from "../../job/task.js";
import { readClassName } from "../../rollout/class-name.js";
import { SubprocError } from "../../rollout/subproc/errors.js";
import { readStandardError } from "../../rollout/subproc/standard-error.js";
import { permissions } from "../../support/private-files.js";
import { removeTail } from "../../support/processes/output-tail.js";

/** Name of the error log of a job with this `--out`. */
export const errorLogOf = (out: string): string => `${out}.errors.jsonl`;

/**
 * Writes a JSON line for each rejected episode: the reason, the stack of the error and the standard error of the
 * agent's process.
 */
export class RolloutErrorLog {
  readonly #file: string;
  #descriptor: number | undefined;
  #failure: string | undefined;
  #closed = false;

  /**
   * Removes the log of an earlier job.
   *
   * @param out the file of the batch
   */
  constructor(out: string) {
    this.#file = errorLogOf(out);
    rmSync(this.#file, { force: true });
  }

  /** The file, and why it is not complete if writing failed. Undefined if no episode was rejected. */
  get place(): string | undefined {
    if (this.#failure !== undefined) return `${this.#file} is not complete: ${this.#failure}`;
    return this.#descriptor === undefined ? undefined : this.#file;
  }

  /** Writes the rejected episodes of a task. A write error ends the log, not the job. */
  add(result: TaskResult): void {
    if (this.#closed || this.#failure !== undefined || result.rejected.length === 0) return;
    try {
      this.#descriptor ??= openSync(this.#file, "w", permissions.file);
      writeWhole(
        this.#descriptor,
        createRecords(result)
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(""),
      );
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
  }

  /** Results that come later are not written. */
  close(): void {
    this.#closed = true;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}

function createRecords({ index, taskId, rejected }: TaskResult) {
  return rejected.map(({ sessionId, groupId, reason }) => {
    const errors = readStandardError(reason.cause);
    return {
      task: index,
      task_id: taskId,
      session_id: sessionId ?? null,
      group_id: groupId ?? null,
      code: reason.code,
      message: removeTail(reason.message, errors),
      error: describeThrown(reason.cause),
      standard_error: errors === "" ? null : errors,
    };
  });
}

/** Describes what was thrown; null if nothing was. */
function describeThrown(cause: unknown) {
  if (cause === undefined) return null;
  const { code, stack, cause: next } = cause instanceof Error ? (cause as Error & { readonly code?: unknown }) : {};
  return {
    class: readClassName(cause),
    code: typeof code === "string" ? code : null,
    // If the agent's process failed, this is the job's own stack.
    stack: typeof stack === "string" && !(cause instanceof SubprocError) ? stack : null,
    cause: next instanceof Error ? `${readClassName(next)}: ${next.message}` : null,
  };
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}
