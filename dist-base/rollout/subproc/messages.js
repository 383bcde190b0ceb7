import { readClassName } from "../class-name.js";
import { isSubprocCode, SubprocError } from "./errors.js";
/** Converts a thrown value so that it can be sent. Agents may throw anything, even values whose properties throw. */
export function encodeError(error) {
    try {
        if (!(error instanceof Error))
            return { name: "Error", message: String(error), stack: undefined, code: undefined };
        const { message, stack, code } = error;
        // The properties of an error may have any type.
        const text = (value) => (typeof value === "string" ? value : undefined);
        return { name: readClassName(error), message: String(message), stack: text(stack), code: text(code) };
    }
    catch {
        return {
            name: "Error",
            message: "The agent threw a value that cannot be described.",
            stack: undefined,
            code: undefined,
        };
    }
}
/** Recreates an error that was sent, with its stack in the other process. */
export function decodeError({ name, message, stack, code }) {
    const subprocError = name === "SubprocError" && isSubprocCode(code) ? new SubprocError(code, message) : undefined;
    const error = subprocError ?? Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
    if (stack !== undefined)
        error.stack = stack;
    return error;
}
//# sourceMappingURL=messages.js.map