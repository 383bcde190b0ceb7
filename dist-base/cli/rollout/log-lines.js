import { makeInert } from "../../support/inert-text.js";
/** Maximum number of distinct lines that are counted. Lines over the limit are all shown. */
const MAX_KNOWN = 1000;
/** The names of levels in log lines, as they are shown. */
const LEVELS = new Map([
    ["trace", "trace"],
    ["debug", "debug"],
    ["info", "info"],
    ["warn", "warning"],
    ["error", "error"],
    ["fatal", "fatal"],
]);
/** Fields that every line has, or that are shown in another way. */
const HIDDEN = new Set(["level", "time", "pid", "hostname", "msg", "err"]);
/** Fields that differ in every line, because they identify a request or a session. They are shown, but not compared. */
const IDENTITY = new Set([
    "reqId",
    "req",
    "res",
    "responseTime",
    "sessionId",
    "session_id",
    "interactionId",
    "ids",
    "trace_id",
]);
const MAX_FIELD_LENGTH = 300;
const WITH_STACK = new Set(["error", "fatal"]);
const MAX_STACK_LINES = 40;
/** Turns log lines into text for people. Repeated lines are shown once and counted. */
export class LogLines {
    #counts = new Map();
    /**
     * Returns a JSON log line as text, or undefined if one with the same level, message, cause and common fields was
     * shown before. Other lines are returned unchanged.
     */
    add(line) {
        const fields = parseFields(line);
        if (!fields)
            return line;
        const common = Object.fromEntries(Object.entries(fields).filter(([name]) => !IDENTITY.has(name)));
        const text = describeLine(fields) + describeFields(common);
        const count = this.#counts.get(text) ?? 0;
        if (count > 0 || this.#counts.size < MAX_KNOWN)
            this.#counts.set(text, count + 1);
        return count > 0 ? undefined : describeLine(fields) + describeFields(fields) + describeStack(fields);
    }
    /** Returns each line that came more than once, with its count. */
    repeated() {
        return [...this.#counts].filter(([, count]) => count > 1).map(([text, count]) => `${count} × ${text}`);
    }
}
function parseFields(line) {
    if (!line.startsWith("{"))
        return undefined;
    try {
        const fields = JSON.parse(line);
        return LEVELS.has(fields["level"]) ? fields : undefined;
    }
    catch {
        return undefined;
    }
}
/** Returns level, message and cause. */
function describeLine({ level, msg, err }) {
    const name = LEVELS.get(level) ?? "log";
    const [message, cause] = [typeof msg === "string" ? msg : "", readMessage(err)];
    const why = cause === "" || message.includes(cause) ? "" : `: ${cause}`;
    return makeInert(`${name}: ${message}${why}`);
}
function readMessage(error) {
    const { message } = (error ?? {});
    return typeof message === "string" ? message : "";
}
/** Returns the fields in parentheses, objects as JSON. Empty objects say nothing and are left out. */
function describeFields(fields) {
    const shown = Object.entries(fields).flatMap(([name, value]) => HIDDEN.has(name) || isEmpty(value) ? [] : [`${name}=${shorten(value)}`]);
    return shown.length === 0 ? "" : makeInert(` (${shown.join(", ")})`);
}
function isEmpty(value) {
    return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
function shorten(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.length > MAX_FIELD_LENGTH ? `${text.slice(0, MAX_FIELD_LENGTH)}…` : text;
}
/** Returns the frames of an error's stack on lines of their own. Warnings are expected, and their stack says little. */
function describeStack({ level, err }) {
    const { stack } = (err ?? {});
    if (!WITH_STACK.has(level) || typeof stack !== "string")
        return "";
    // The lines before the first frame repeat class and message.
    const lines = stack.split("\n");
    const first = lines.findIndex((line) => /^\s+at /.test(line));
    const frames = first < 0 ? [] : lines.slice(first, first + MAX_STACK_LINES);
    return frames.map((line) => `\n${makeInert(line)}`).join("");
}
//# sourceMappingURL=log-lines.js.map