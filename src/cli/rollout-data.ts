import { readFile } from "node:fs/promises";
import { RolloutJobError } from "./rollout-error.js";

export interface RolloutTask {
  /** The task's own `task_id`, where it has one that can be one, else `task-<number of the line, from 0>`. */
  readonly taskId: string;
  /** What the agent gets. */
  readonly data: unknown;
}

/**
 * Reads tasks from a file: a JSON value on each line; empty lines do not count.
 *
 * @throws RolloutJobError `invalid_data`, naming the line
 */
export async function readTasks(file: string): Promise<RolloutTask[]> {
  const lines = (await readText(file)).split("\n");
  const tasks = lines.flatMap((line, i) => (line.trim() === "" ? [] : [readTask(line, `${file}:${i + 1}`)]));
  if (tasks.length === 0) throw new RolloutJobError("invalid_data", `${file} has no tasks.`);
  return tasks.map(({ taskId, data }, index) => ({ taskId: taskId ?? `task-${index}`, data }));
}

async function readText(file: string): Promise<string> {
  try {
    // Some editors begin a file with a mark of its encoding.
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new RolloutJobError("invalid_data", `--data ${file} cannot be read: ${(error as Error).message}`);
  }
}

function readTask(line: string, place: string): { readonly taskId: string | undefined; readonly data: unknown } {
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RolloutJobError("invalid_data", `${place} is not JSON: ${why}`);
  }
  const named = typeof data === "object" && data !== null && "task_id" in data ? data.task_id : undefined;
  return { taskId: typeof named === "string" && /^[\w.:-]{1,128}$/.test(named) ? named : undefined, data };
}
