import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Random } from "../../helpers/random.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { RestartedProcess } from "./restarted-process.js";

export interface RolloutChaosOptions {
  readonly kills: number;
  readonly seed: number;
  readonly maxPauseSeconds: number;
}

export interface RolloutChaosResult {
  /** Kills by what was killed. */
  readonly kills: Readonly<Record<string, number>>;
  readonly tasks: number;
  readonly batches: number;
  /** Sessions that are left at the proxy and were not exported. Must be 0. */
  readonly left: number;
  readonly problems: readonly string[];
}

const AGENT = `${fileURLToPath(new URL("./agent.mjs", import.meta.url))}#agent`;
const ENV = { ...process.env, ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-chaotic-job" };
const WORKERS = 2;
const BATCH = 10;
/** Every so many tasks the job waits for one more kill. */
const TASKS_PER_KILL = 12;

/** Kills the controller and the workers of a job at random moments, until the job is done. Every task must be in one batch. */
export async function runRolloutChaos(options: RolloutChaosOptions): Promise<RolloutChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-rollout-chaos-"));
  const tasks = Math.ceil((options.kills * TASKS_PER_KILL) / BATCH) * BATCH;
  const [data, out, file] = [
    join(folder, "tasks.jsonl"),
    join(folder, "out", "batch.safetensors"),
    join(folder, "url.json"),
  ];
  writeFileSync(data, Array.from({ length: tasks }, (_, number) => `${JSON.stringify({ number })}\n`).join(""));
  const killsFile = join(folder, "kills");
  writeFileSync(killsFile, "0");
  const agentEnv = { ...ENV, CHAOS_KILLS_FILE: killsFile, CHAOS_TASKS_PER_KILL: String(TASKS_PER_KILL) };
  const proxy = new RestartedProcess(
    ["serve", "server.port=0", "server.log_level=warn", "server.shutdown_seconds=0"],
    ENV,
  );
  const { url } = JSON.parse(await proxy.firstLine()) as { url: string };
  const controller = new RestartedProcess(
    [
      "controller",
      `--proxy=${url}`,
      `--data=${data}`,
      `--out=${out}`,
      `--url-file=${file}`,
      "--resume",
      `storage.directory=${folder}/store`,
      `rollout.consumer_batch_size=${BATCH}`,
      "rollout.max_concurrent_rollouts=24",
      "rollout.max_attempts=1000",
      "rollout.lease_seconds=1",
      "server.log_level=error",
    ],
    ENV,
  );
  const workers = Array.from(
    { length: WORKERS },
    () => new RestartedProcess(["worker", "--controller", file, "--agent", AGENT, "server.log_level=error"], agentEnv),
  );
  try {
    const kills = await killUntilDone(controller, workers, killsFile, options);
    const { batches, problems } = compare(out, tasks);
    const left = await listUnexported(url);
    for (const { session_id, state } of left) problems.push(`session ${session_id} is left (${state})`);
    return { kills, tasks, batches, left: left.length, problems };
  } finally {
    for (const each of [controller, ...workers, proxy]) each.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killUntilDone(
  controller: RestartedProcess,
  workers: readonly RestartedProcess[],
  killsFile: string,
  { kills, seed, maxPauseSeconds }: RolloutChaosOptions,
): Promise<Record<string, number>> {
  const random = new Random(seed);
  const counts: Record<string, number> = { controller: 0, worker: 0, both: 0, all: 0 };
  for (let kill = 0; kill < kills && !controller.isDone; kill++) {
    await Promise.race([sleep((0.3 + random.next() * (maxPauseSeconds - 0.3)) * 1000), controller.done]);
    if (controller.isDone) break;
    const [what = "all"] = Object.keys(counts).slice(Math.floor(random.next() * 4));
    const worker = workers.slice(Math.floor(random.next() * workers.length)).slice(0, 1);
    const killed = { controller: [controller], worker, both: [controller, ...worker], all: [controller, ...workers] };
    for (const each of killed[what as keyof typeof killed]) each.restart();
    counts[what] = (counts[what] ?? 0) + 1;
    writeFileSync(killsFile, String(kill + 1));
  }
  await controller.done;
  return counts;
}

/** Compares the tasks of all batches with those of the job. */
function compare(out: string, tasks: number): { readonly batches: number; readonly problems: string[] } {
  const folder = join(out, "..");
  const files = readdirSync(folder).filter((name) => name.endsWith(".safetensors"));
  const seen = new Map<number, Set<string>>();
  for (const file of files) {
    const { metadata } = readSafetensors(readFileSync(join(folder, file)));
    const rows = JSON.parse(metadata["rows"] ?? "[]") as { session_id: string }[];
    for (const { session_id } of rows) {
      const task = Number(/^task-(\d+)-/.exec(session_id)?.[1]);
      seen.set(task, (seen.get(task) ?? new Set()).add(`${file} ${session_id}`));
    }
  }
  const problems = Array.from({ length: tasks }, (_, task) => {
    const runs = [...(seen.get(task) ?? [])];
    return runs.length === 1 ? [] : [`task ${task} is ${runs.length} times in the batches: ${runs.join(", ")}`];
  }).flat();
  return { batches: files.length, problems };
}

interface ListedSession {
  readonly session_id: string;
  readonly state: string;
}

async function listUnexported(url: string): Promise<ListedSession[]> {
  const headers = { authorization: `Bearer ${ENV.ROLLTAPE_ADMIN_API_KEY}` };
  const reply = await fetch(`${url}/rl/sessions?limit=100000`, { headers });
  const { sessions } = (await reply.json()) as { sessions: ListedSession[] };
  return sessions.filter(({ state }) => state === "active" || state === "ended");
}
