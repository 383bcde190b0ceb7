import { appendTail } from "../../support/processes/output-tail.js";
import { SubprocError, type SubprocErrorCode } from "./errors.js";

/** Beside the errors, because an error that an agent threw has the agent's own class and properties. */
const texts = new WeakMap<object, string>();

/** Returns the error of a process that failed. Its message ends with the end of the process's standard error. */
export function processFailed(code: SubprocErrorCode, sentence: string, text: string): SubprocError {
  const error = new SubprocError(code, appendTail(sentence, text));
  noteStandardError(error, text);
  return error;
}

/** Returns a time-out with the standard error of the process that it ended; any other error as it is. */
export function stillAtWork(error: unknown, text: string): unknown {
  if (!(error instanceof SubprocError) || error.code !== "agent_timeout") return error;
  return processFailed(error.code, error.message, text);
}

/** Notes what the process of an agent wrote to its standard error before this error. */
export function noteStandardError(error: Error, text: string): void {
  if (text !== "") texts.set(error, text);
}

/** Returns the end of the standard error that belongs to an error; empty if there is none. */
export function standardErrorOf(error: unknown): string {
  return typeof error === "object" && error !== null ? (texts.get(error) ?? "") : "";
}
