import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listDescendants } from "../../helpers/descendants.js";
import { Random } from "../../helpers/random.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import { JobProcesses, TIMED_OUT } from "./job-processes.js";
import { type RunningJob, TOPOLOGIES, type Topology } from "./topologies.js";

const TASKS = 40;
/** Longer than every time-out of the job, leases included. */
const FREEZE_SECONDS = 8;
/** Long enough for PostgreSQL to notice that a controller's machine is gone. */
const CUT_SECONDS = 15;
/** A run that takes longer hangs. */
const LIMIT_SECONDS = 150;

type Way = "killed" | "frozen" | "cut";

/** The result of one job after one of its processes, or its network, was hit. */
export interface JobChaosRow {
  readonly topology: string;
  readonly storage: boolean;
  readonly victim: string;
  readonly how: Way;
  readonly status: number;
  /** Tasks that are once in the batches; not at all; more than once. */
  readonly once: number;
  readonly missing: number;
  readonly twice: number;
  readonly seconds: number;
  /** Why the job did not end with status 0, in its own words. */
  readonly reason: string;
}

export interface JobChaosOptions {
  readonly seed: number;
  /** Only topologies, victims and ways whose row has this text. */
  readonly only: string;
}

/** Runs a job for each process of each topology, and kills or freezes that process in the middle. */
export async function runJobChaos(
  { seed, only }: JobChaosOptions,
  { report, skip }: { readonly report: (row: JobChaosRow) => void; readonly skip: (reason: string) => void },
): Promise<readonly string[]> {
  const random = new Random(seed);
  const problems: string[] = [];
  for (const topology of TOPOLOGIES)
    for (const storage of [true, false])
      for (const victim of topology.victims)
        for (const how of waysTo(victim)) {
          const name = `${topology.name}, ${storage ? "with" : "without"} storage: ${victim} ${how}`;
          if (!name.includes(only)) continue;
          if (topology.missing !== undefined) {
            skip(`${name}: ${topology.missing}`);
            continue;
          }
          const row = await runOne({ topology, storage, victim, how, pause: random.next() });
          report(row);
          problems.push(...judge(row).map((problem) => `${name}: ${problem}`));
        }
  return problems;
}

/** A job may fail, but it must say so, and no task may be twice in its batches. */
function judge({ status, missing, twice, reason }: JobChaosRow): string[] {
  return [
    ...(twice > 0 ? [`${twice} tasks are twice in the batches`] : []),
    ...(status === 0 && missing > 0 ? [`${missing} tasks are missing, and the exit status is 0`] : []),
    ...(status === 2 ? ["the job was refused"] : []),
    ...(status !== 0 && reason === "" ? [`exit status ${status} without a reason`] : []),
    ...(status === TIMED_OUT ? [`hangs: it did not end within ${LIMIT_SECONDS} s`] : []),
  ];
}

function waysTo(victim: string): readonly Way[] {
  return victim === "network" ? ["cut"] : ["killed", "frozen"];
}

interface Run {
  readonly topology: Topology;
  readonly storage: boolean;
  readonly victim: string;
  readonly how: Way;
  /** From 0 to 1: when in the job. */
  readonly pause: number;
}

async function runOne({ topology, storage, victim, how, pause }: Run): Promise<JobChaosRow> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-job-chaos-"));
  const started = performance.now();
  const done = join(folder, "done");
  writeFileSync(done, "");
  const data = join(folder, "tasks.jsonl");
  writeFileSync(data, Array.from({ length: TASKS }, (_, number) => `${JSON.stringify({ number })}\n`).join(""));
  const key = { ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-chaotic-job" };
  let running: RunningJob | undefined;
  using processes = new JobProcesses({ ...process.env, ...key, CHAOS_DONE_FILE: done, TMPDIR: folder });
  try {
    running = await topology.start({ folder, data, storage, processes });
    const enough = 3 + Math.floor(pause * TASKS * 0.6);
    await processes.until(() => countLines(done) >= enough, LIMIT_SECONDS);
    await hit(victim, how, { running, processes });
    const { status, reason } = await processes.end(LIMIT_SECONDS);
    const seconds = (performance.now() - started) / 1000;
    const counts = compare(`${folder}/out`);
    const why = counts.missing > 0 ? `${reason} ${readFirstError(`${folder}/out`)}` : reason;
    return { ...counts, topology: topology.name, storage, victim, how, status, reason: why, seconds };
  } finally {
    processes[Symbol.dispose]();
    await running?.end?.();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Target {
  readonly running: RunningJob;
  readonly processes: JobProcesses;
}

async function hit(victim: string, how: Way, { running, processes }: Target): Promise<void> {
  if (how === "cut") return await running.cut?.(CUT_SECONDS);
  const pid = running.others?.[victim]?.() ?? processes.find(victim);
  if (pid === undefined) return;
  if (how === "killed") {
    process.kill(pid, "SIGKILL");
    return await running.restart[victim]?.();
  }
  // PostgreSQL has a process for each connection.
  const all = victim === "postgres" ? [pid, ...listDescendants(pid)] : [pid];
  for (const each of all) signal(each, "SIGSTOP");
  await sleep(FREEZE_SECONDS * 1000);
  for (const each of all) signal(each, "SIGCONT");
}

/** Sends a signal to a process that may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function countLines(file: string): number {
  return readFileSync(file, "utf8").split("\n").length - 1;
}

/** Counts how often each task is in the batches of a folder. */
function compare(folder: string): Pick<JobChaosRow, "once" | "missing" | "twice"> {
  const sessions = new Map<number, Set<string>>();
  for (const file of listBatches(folder)) {
    const { metadata } = readSafetensors(readFileSync(file));
    for (const { session_id } of JSON.parse(metadata["rows"] ?? "[]") as { session_id: string }[]) {
      const task = Number(/^task-(\d+)-/.exec(session_id)?.[1]);
      sessions.set(task, (sessions.get(task) ?? new Set()).add(`${file} ${session_id}`));
    }
  }
  const counts = Array.from({ length: TASKS }, (_, task) => sessions.get(task)?.size ?? 0);
  const number = (test: (count: number) => boolean) => counts.filter(test).length;
  return { once: number((n) => n === 1), missing: number((n) => n === 0), twice: number((n) => n > 1) };
}

/** Returns the first error of an episode that was left out. */
function readFirstError(folder: string): string {
  const name = existsSync(folder) && readdirSync(folder).find((each) => each.endsWith(".errors.jsonl"));
  return !name ? "" : (readFileSync(join(folder, name), "utf8").split("\n")[0] ?? "");
}

function listBatches(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(".safetensors") ? [join(folder, name)] : []));
  } catch {
    return [];
  }
}
