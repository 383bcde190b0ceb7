import { readClassName } from "../class-name.js";
import { isRejectionCode, Rejection } from "../rejection.js";
import { isSubprocCode, SubprocError } from "../subproc/errors.js";
import { noteStandardError, readStandardError } from "../subproc/standard-error.js";
/** Maximum length of a text in characters. The end of a longer one is cut. */
const MAX_TEXT = 1 << 16;
/** Returns the result of a task as JSON: rewards as a list, and errors as text. */
export function toWire({ accepted, rejected }) {
    return { accepted: accepted.map(toWireAccepted), rejected: rejected.map(toWireRejection) };
}
/** Returns the result that {@link toWire} was given. Errors have their class as `name`. */
export function fromWire({ accepted, rejected }) {
    return { accepted: accepted.map(readAccepted), rejected: rejected.map(readRejected) };
}
function toWireAccepted({ sessionId, url, groupId, interactionCount, rewards }) {
    return {
        session_id: sessionId,
        url,
        group_id: groupId ?? null,
        interaction_count: interactionCount,
        rewards: [...rewards],
    };
}
function readAccepted({ session_id, url, group_id, interaction_count, rewards }) {
    return {
        sessionId: session_id,
        url,
        groupId: group_id ?? undefined,
        interactionCount: interaction_count,
        rewards: new Map(rewards),
    };
}
function toWireRejection({ sessionId, groupId, reason }) {
    return {
        session_id: sessionId ?? null,
        group_id: groupId ?? null,
        code: reason.code,
        message: cut(reason.message),
        error: reason.cause === undefined ? null : describeError(reason.cause),
    };
}
function describeError(cause) {
    const { code, stack, cause: next } = cause instanceof Error ? cause : {};
    const errors = readStandardError(cause);
    return {
        class: cut(readClassName(cause)),
        message: cut(cause instanceof Error ? cause.message : String(cause)),
        code: typeof code === "string" ? cut(code) : null,
        stack: typeof stack === "string" ? cut(stack) : null,
        cause: next instanceof Error ? cut(`${readClassName(next)}: ${next.message}`) : null,
        standard_error: errors === "" ? null : cut(errors),
        subprocess: cause instanceof SubprocError,
    };
}
function readRejected({ session_id, group_id, code, message, error }) {
    const known = isRejectionCode(code) ? code : "workflow_error";
    const reason = new Rejection(known, message, error === null ? {} : { cause: readError(error) });
    return { sessionId: session_id ?? undefined, groupId: group_id ?? undefined, reason };
}
function readError(error) {
    const code = error.code ?? undefined;
    const thrown = error.subprocess && isSubprocCode(code) ? new SubprocError(code, error.message) : createRemoteError(error);
    noteStandardError(thrown, error.standard_error ?? "");
    return thrown;
}
/** Returns an error with the class, code and stack of one that was thrown in another process. */
function createRemoteError({ class: name, message, code, stack, cause }) {
    const error = new Error(message, cause === null ? {} : { cause: new Error(cause) });
    const own = {
        ...(name === "Error" ? {} : { name }),
        ...(code === null ? {} : { code }),
        ...(stack === null ? {} : { stack }),
    };
    return Object.assign(error, own);
}
function cut(text) {
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
//# sourceMappingURL=wire-result.js.map