import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { column, rowsOf } from "../helpers/batch-rows.js";
import { readSafetensors } from "../helpers/safetensors.js";

/** The rows of one session in the batches: a digest of their tokens, log probabilities and rewards. */
export interface BatchSession {
  readonly id: string;
  readonly digest: string;
}

/** Returns the sessions of each task in all batches of a folder. */
export function readBatches(folder: string): Map<number, BatchSession[]> {
  const tasks = new Map<number, BatchSession[]>();
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".safetensors")) continue;
    for (const session of readBatch(readFileSync(join(folder, name)))) {
      const task = Number(/^task-(\d+)-/.exec(session.id)?.[1]);
      tasks.set(task, [...(tasks.get(task) ?? []), session]);
    }
  }
  return tasks;
}

function readBatch(file: Uint8Array): BatchSession[] {
  const batch = readSafetensors(file);
  const names = JSON.parse(batch.metadata["rows"] ?? "[]") as { session_id: string }[];
  const rewards = column(batch, "rewards");
  const sessions = new Map<string, string[]>();
  rowsOf(batch).forEach(({ ids, trained }, row) => {
    const id = names[row]?.session_id ?? "";
    sessions.set(id, [...(sessions.get(id) ?? []), JSON.stringify([ids, trained, rewards[row]])]);
  });
  return [...sessions].map(([id, rows]) => {
    return { id, digest: createHash("sha256").update(rows.toSorted().join("\n")).digest("hex") };
  });
}
