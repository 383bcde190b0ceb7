import { appendTail } from "../../support/processes/output-tail.js";
import { SubprocError } from "./errors.js";
/**
 * The standard error by error. It is not a property, because an error that an agent threw has the agent's own class.
 */
const texts = new WeakMap();
/** Returns the error of a process that failed. Its message ends with the end of the process's standard error. */
export function processError(code, sentence, text) {
    const error = new SubprocError(code, appendTail(sentence, text));
    noteStandardError(error, text);
    return error;
}
/** Adds the standard error of the killed process to a time-out. Returns any other error as it is. */
export function addStandardError(error, text) {
    if (!(error instanceof SubprocError) || error.code !== "agent_timeout")
        return error;
    return processError(error.code, error.message, text);
}
/** Remembers what the process of an agent wrote to its standard error before this error. */
export function noteStandardError(error, text) {
    if (text !== "")
        texts.set(error, text);
}
/** Returns the remembered end of the standard error for an error; empty if there is none. */
export function readStandardError(error) {
    return typeof error === "object" && error !== null ? (texts.get(error) ?? "") : "";
}
//# sourceMappingURL=standard-error.js.map