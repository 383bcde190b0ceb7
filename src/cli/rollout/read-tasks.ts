import { readFile } from "node:fs/promises";
import { RolloutJobError } from "./errors.js";

export interface RolloutTask {
  /** The task's own `task_id`, else `task-<number>`, counted from 0. */
  readonly taskId: string;
  /** The data that the agent gets. */
  readonly data: unknown;
}

/** A value of the file, and its place for error messages. */
interface Entry {
  readonly data: unknown;
  readonly place: string;
}

/**
 * Reads tasks from a file: one JSON value on each line, or one JSON array. Empty lines are skipped.
 *
 * @throws RolloutJobError `invalid_data`, naming the line or the index at fault
 */
export async function readTasks(file: string): Promise<RolloutTask[]> {
  const text = await readText(file);
  const entries = text.trimStart().startsWith("[") ? readArray(text, file) : readLines(text, file);
  if (entries.length === 0) throw new RolloutJobError("invalid_data", `${file} has no tasks.`);
  return entries.map((entry, index) => ({ taskId: readTaskId(entry) ?? `task-${index}`, data: entry.data }));
}

async function readText(file: string): Promise<string> {
  try {
    // Some editors begin a file with a byte order mark.
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new RolloutJobError("invalid_data", `--data ${file} cannot be read: ${readMessage(error)}`);
  }
}

/** Reads one JSON array. If each line is an array of its own, each line is a task instead. */
function readArray(text: string, file: string): Entry[] {
  const whole = parse(text);
  if ("value" in whole && Array.isArray(whole.value)) {
    return whole.value.map((data: unknown, i) => ({ data, place: `${file}[${i}]` }));
  }
  const [first = ""] = text.trimStart().split("\n");
  if ("value" in parse(first)) return readLines(text, file);
  throw new RolloutJobError("invalid_data", `${file} is not a JSON array: ${"error" in whole ? whole.error : ""}`);
}

function readLines(text: string, file: string): Entry[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const place = `${file}:${i + 1}`;
    const parsed = parse(line);
    if ("value" in parsed) return [{ data: parsed.value, place }];
    throw new RolloutJobError("invalid_data", `${place} is not JSON: ${parsed.error}`);
  });
}

function parse(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: readMessage(error) };
  }
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const ALLOWED_TASK_ID = "1 to 128 characters of A-Z a-z 0-9 . _ : -";

function readTaskId({ data, place }: Entry): string | undefined {
  const id = typeof data === "object" && data !== null && "task_id" in data ? (data.task_id ?? undefined) : undefined;
  if (id === undefined || (typeof id === "string" && /^[\w.:-]{1,128}$/.test(id))) return id;
  const received = JSON.stringify(id).slice(0, 160);
  throw new RolloutJobError("invalid_data", `${place}: \`task_id\` must be ${ALLOWED_TASK_ID}; received ${received}.`);
}
