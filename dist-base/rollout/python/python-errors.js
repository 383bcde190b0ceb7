import { makeInertLines } from "../../support/inert-text.js";
import { Rejection } from "../rejection.js";
import { WorkflowError } from "../workflow-error.js";
/** Returns the error of an agent that could not be loaded. Its message ends with Python's traceback. */
export function toLoadError({ code, message, traceback }) {
    const text = traceback === "" ? message : `The agent could not be loaded: ${message}\n${traceback}`;
    return new WorkflowError(code, makeInertLines(text));
}
/** Returns the error of a task: its class is the name, and its stack is Python's traceback. */
export function toTaskError(end) {
    if (end.type === "invalid") {
        const expected = "a finite number, or a dict of completion ids to finite numbers";
        return new Rejection("invalid_reward", `The agent must return ${expected}; received ${makeInertLines(end.received)}.`);
    }
    const { name, message, traceback } = end.error;
    const error = Object.assign(new Error(makeInertLines(message)), { name: makeInertLines(name) });
    error.stack = makeInertLines(traceback);
    return error;
}
//# sourceMappingURL=python-errors.js.map