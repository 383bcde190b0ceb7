import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSafetensors } from "../../helpers/safetensors.js";
import { temporaryFolder } from "../rolltape.js";

export const AGENT = `${fileURLToPath(new URL("./agents/chat.mjs", import.meta.url))}#agent`;

/** Long, because a job starts several processes one after the other, and the machine may be busy. */
export const TIMES = { timeout: 120_000 };

/** Writes the files of a job into a new folder, and returns the arguments that name them. */
export function rolloutJob(tasks: readonly unknown[]) {
  const folder = temporaryFolder();
  const [data, out] = [join(folder, "tasks.jsonl"), join(folder, "out", "batch.safetensors")];
  writeFileSync(data, tasks.map((task) => `${JSON.stringify(task)}\n`).join("\n"));
  return { folder, data, out, args: ["rollout", "--data", data, "--out", out] };
}

export function readBatch(file: string) {
  const { tensors, metadata } = readSafetensors(readFileSync(file));
  const rows = JSON.parse(metadata["rows"] ?? "[]") as { session_id: string }[];
  return {
    rewards: tensors["rewards"]?.data,
    shape: tensors["input_ids"]?.shape,
    sessions: rows.map((row) => row.session_id),
    /** Weight versions of the sampled tokens. */
    versions: [...new Set(tensors["versions"]?.data)].filter((version) => version >= 0),
  };
}

/** The tag of the worker that a session id or key names. */
export const readTag = (name: string) => /^sk-([a-z0-9]+)\./.exec(name)?.[1] ?? name.split("-").at(-2) ?? "";

/** Returns the process ids of a job's proxy workers by tag. The temporary files of the job are in `folder`. */
export function workersIn(folder: string): Map<string, number> {
  const names = readdirSync(folder).filter((name) => name.startsWith("rolltape-workers-"));
  const files = names.flatMap((name) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)));
  const registrations = files
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as { tag: string; pid: number });
  return new Map(registrations.map(({ tag, pid }) => [tag, pid]));
}
