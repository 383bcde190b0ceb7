import { readFile } from "node:fs/promises";
import { RolloutJobError } from "./rollout-error.js";

export interface RolloutTask {
  /** The task's own `task_id`, or `task-<its number, from 0>` if it has none. */
  readonly taskId: string;
  /** What the agent gets. */
  readonly data: unknown;
}

/** A value of the file, and where it stands. */
interface Entry {
  readonly data: unknown;
  readonly place: string;
}

/**
 * Reads tasks from a file: a JSON value on each line, without the empty ones, or one JSON array.
 *
 * @throws RolloutJobError `invalid_data`, naming the line or the index
 */
export async function readTasks(file: string): Promise<RolloutTask[]> {
  const text = await readText(file);
  const entries = text.trimStart().startsWith("[") ? readArray(text, file) : readLines(text, file);
  if (entries.length === 0) throw new RolloutJobError("invalid_data", `${file} has no tasks.`);
  return entries.map((entry, index) => ({ taskId: readTaskId(entry) ?? `task-${index}`, data: entry.data }));
}

async function readText(file: string): Promise<string> {
  try {
    // Some editors begin a file with a mark of its encoding.
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new RolloutJobError("invalid_data", `--data ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** A file of several lines, each an array of its own, has a task on each line. */
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
    return { error: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const TASK_ID = "1 to 128 characters of A-Z a-z 0-9 . _ : -";

function readTaskId({ data, place }: Entry): string | undefined {
  const id = typeof data === "object" && data !== null && "task_id" in data ? (data.task_id ?? undefined) : undefined;
  if (id === undefined || (typeof id === "string" && /^[\w.:-]{1,128}$/.test(id))) return id;
  const received = JSON.stringify(id).slice(0, 160);
  throw new RolloutJobError("invalid_data", `${place}: \`task_id\` must be ${TASK_ID}; received ${received}.`);
}
