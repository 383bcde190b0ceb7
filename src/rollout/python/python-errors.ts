import { makeInertLines } from "../../support/inert-text.js";
import { Rejection } from "../rejection.js";
import type { SubprocError } from "../subproc/errors.js";
import { WorkflowError } from "../workflow-error.js";
import type { LoadFailure, TaskEnd } from "./messages.js";

/** Returns the error of an agent that could not be loaded. Its message ends with Python's traceback. */
export function toLoadError({ code, message, traceback }: LoadFailure): WorkflowError {
  const text = traceback === "" ? message : `The agent could not be loaded: ${message}\n${traceback}`;
  return new WorkflowError(code, makeInertLines(text));
}

/** Says if the task that ended a process is known. */
type Culprit = "known" | "unknown";

const sharedEnds = new WeakMap<object, Culprit>();

/** Remembers that a process ended while it ran several tasks, of which this error has one. */
export function noteSharedEnd(error: SubprocError, culprit: Culprit): void {
  sharedEnds.set(error, culprit);
}

/** Returns undefined if the error does not say that a process of several tasks ended. */
export function findCulprit(error: unknown): Culprit | undefined {
  return typeof error === "object" && error !== null ? sharedEnds.get(error) : undefined;
}

/** Returns the error of a task: its class is the name, and its stack is Python's traceback. */
export function toTaskError(end: Exclude<TaskEnd, { readonly type: "done" }>): Error {
  if (end.type === "invalid") {
    const expected = "a finite number, or a dict of completion ids to finite numbers";
    return new Rejection(
      "invalid_reward",
      `The agent must return ${expected}; received ${makeInertLines(end.received)}.`,
    );
  }
  const { name, message, traceback } = end.error;
  const error = Object.assign(new Error(makeInertLines(message)), { name: makeInertLines(name) });
  error.stack = makeInertLines(traceback);
  return error;
}
