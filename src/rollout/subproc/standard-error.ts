import { SubprocError, type SubprocErrorCode } from "./errors.js";

const LEAD = " Its standard error ends with:\n";

/** Beside the errors, because an error that an agent threw has the agent's own class and properties. */
const texts = new WeakMap<object, string>();

/** Returns a sentence about a process that failed, followed by the end of its standard error. */
export function withTail(sentence: string, text: string): string {
  return text === "" ? sentence : sentence + LEAD + text;
}

/** Returns the error of a process that failed. Its message ends with the end of the process's standard error. */
export function processFailed(code: SubprocErrorCode, sentence: string, text: string): SubprocError {
  const error = new SubprocError(code, withTail(sentence, text));
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

/** Returns an error's message without the standard error that it ends with. */
export function withoutTail(message: string, text: string): string {
  const end = LEAD + text;
  return text !== "" && message.endsWith(end) ? message.slice(0, -end.length) : message;
}
