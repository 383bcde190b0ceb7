import { WorkflowError } from "../workflow-error.js";
import type { LoadFailure, TaskEnd } from "./messages.js";
/** Returns the error of an agent that could not be loaded. Its message ends with Python's traceback. */
export declare function toLoadError({ code, message, traceback }: LoadFailure): WorkflowError;
/** Returns the error of a task: its class is the name, and its stack is Python's traceback. */
export declare function toTaskError(end: Exclude<TaskEnd, {
    readonly type: "done";
}>): Error;
