import { readFile } from "node:fs/promises";
import { RolloutJobError } from "./errors.js";
/**
 * Reads tasks from a file: one JSON value on each line, or one JSON array. Empty lines are skipped.
 *
 * @throws RolloutJobError `invalid_data`, naming the line or the index at fault
 */
export async function readTasks(file) {
    const text = await readText(file);
    const entries = text.trimStart().startsWith("[") ? readArray(text, file) : readLines(text, file);
    if (entries.length === 0)
        throw new RolloutJobError("invalid_data", `${file} has no tasks.`);
    return entries.map((entry, index) => ({ taskId: readTaskId(entry) ?? `task-${index}`, data: entry.data }));
}
async function readText(file) {
    try {
        // Some editors begin a file with a byte order mark.
        return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
    }
    catch (error) {
        throw new RolloutJobError("invalid_data", `--data ${file} cannot be read: ${readMessage(error)}`);
    }
}
/** Reads one JSON array. If each line is an array of its own, each line is a task instead. */
function readArray(text, file) {
    const whole = parse(text);
    if ("value" in whole && Array.isArray(whole.value)) {
        return whole.value.map((data, i) => ({ data, place: `${file}[${i}]` }));
    }
    const [first = ""] = text.trimStart().split("\n");
    if ("value" in parse(first))
        return readLines(text, file);
    throw new RolloutJobError("invalid_data", `${file} is not a JSON array: ${"error" in whole ? whole.error : ""}`);
}
function readLines(text, file) {
    return text.split("\n").flatMap((line, i) => {
        if (line.trim() === "")
            return [];
        const place = `${file}:${i + 1}`;
        const parsed = parse(line);
        if ("value" in parsed)
            return [{ data: parsed.value, place }];
        throw new RolloutJobError("invalid_data", `${place} is not JSON: ${parsed.error}`);
    });
}
function parse(text) {
    try {
        return { value: JSON.parse(text) };
    }
    catch (error) {
        return { error: readMessage(error) };
    }
}
function readMessage(error) {
    return error instanceof Error ? error.message : String(error);
}
const ALLOWED_TASK_ID = "1 to 128 characters of A-Z a-z 0-9 . _ : -";
function readTaskId({ data, place }) {
    const id = typeof data === "object" && data !== null && "task_id" in data ? (data.task_id ?? undefined) : undefined;
    if (id === undefined || (typeof id === "string" && /^[\w.:-]{1,128}$/.test(id)))
        return id;
    const received = JSON.stringify(id).slice(0, 160);
    throw new RolloutJobError("invalid_data", `${place}: \`task_id\` must be ${ALLOWED_TASK_ID}; received ${received}.`);
}
//# sourceMappingURL=read-tasks.js.map