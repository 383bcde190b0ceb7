import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Registration, registrationSchema } from "../../src/admin-api/worker-registration.js";
import { type JobInput, type JobSpec, jobSchema } from "../../src/scheduler/job.js";
import type { ProcessRecord } from "../../src/scheduler/supervised-process.js";
import { readSafetensors } from "../helpers/safetensors.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const worker = (name: string) => fileURLToPath(new URL(`./workers/${name}.mjs`, import.meta.url));

const env = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-whole-job" };

export interface RolloutJob {
  readonly folder: string;
  readonly workers: number;
  readonly tasks: number;
  readonly pauseMilliseconds?: number;
  /** Maximum number of restarts of a proxy or a rollout worker. */
  readonly restarts?: number;
}

/** Returns a job of proxies with an embedded engine, a gateway, rollout workers and a controller. */
export function rolloutJob({ folder, workers, tasks, pauseMilliseconds = 0, restarts = 1 }: RolloutJob): JobSpec {
  const node = process.execPath;
  const serve = ["serve", "server.port=0", "server.workers_folder={folder}/workers", "server.shutdown_seconds=0"];
  const gateway = ["gateway", "server.port=0", "gateway.workers_folder={folder}/workers"];
  const rollout = ["{folder}", "{index}", String(workers), String(tasks), "{gateway_url}", String(pauseMilliseconds)];
  const roles: JobInput["roles"] = [
    { role: "controller", command: [node, worker("controller"), "{folder}", "{gateway_url}"], env, restarts: 0 },
    { role: "rollout", count: workers, command: [node, worker("rollout"), ...rollout], env, restarts },
    { role: "gateway", command: [node, MAIN, ...gateway], env, ready: "line" },
    { role: "proxy", count: workers, command: [node, MAIN, ...serve], env, ready: "line", restarts },
  ];
  return jobSchema.parse({ folder, roles, stop_seconds: 5 });
}

export function readProcesses(folder: string): ProcessRecord[] {
  return JSON.parse(readFileSync(join(folder, "processes.json"), "utf8")) as ProcessRecord[];
}

/** Returns a line for each process: its role, its machine, and how it ended. */
export function processLines(folder: string): string[] {
  return readProcesses(folder).map(({ role, node, state, ended }) => `${role} ${node} ${state} ${ended}`);
}

/** The expected {@link processLines} of a job with two proxies and two rollout workers on two machines. */
export const WHOLE_ON_TWO_MACHINES: readonly string[] = [
  "proxy n1 stopped ended with status 0",
  "proxy n2 stopped ended with status 0",
  "gateway n1 stopped ended with status 0",
  "rollout n1 done ended with status 0",
  "rollout n2 done ended with status 0",
  "controller n1 done ended with status 0",
];

export interface Episode {
  readonly task: number;
  readonly worker: number;
  readonly session_id?: string;
  readonly error?: string;
}

/** What came of the tasks so far, in their order. */
export function readEpisodes(folder: string): Episode[] {
  const names = readdirSync(join(folder, "episodes")).filter((name) => name.endsWith(".json"));
  const episodes = names.map((name) => JSON.parse(readFileSync(join(folder, "episodes", name), "utf8")) as Episode);
  return episodes.sort((a, b) => a.task - b.task);
}

/** Returns what the running proxies have written into the workers folder. */
export function readRegistrations(folder: string): Registration[] {
  const workers = join(folder, "workers");
  return readdirSync(workers).map((name) =>
    registrationSchema.parse(JSON.parse(readFileSync(join(workers, name), "utf8"))),
  );
}

/** Returns the session ids in the batch that the controller wrote. */
export function batchSessions(folder: string): string[] {
  const { metadata } = readSafetensors(readFileSync(join(folder, "batch.safetensors")));
  const rows = JSON.parse(metadata["rows"] ?? "[]") as { session_id: string }[];
  return [...new Set(rows.map(({ session_id }) => session_id))];
}
