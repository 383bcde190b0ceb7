import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { listDescendants } from "../../../test/helpers/descendants.js";
import { readSafetensors } from "../../../test/helpers/safetensors.js";
import { Random } from "../../soak/random.js";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const AGENT = `${fileURLToPath(new URL("./agent.mjs", import.meta.url))}#agent`;
const ENV = { ...process.env, ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-chaotic-job" };

const TASKS = 40;
const LEASE_SECONDS = 3;
/** Longer than every time-out of the job. */
const FREEZE_SECONDS = 8;
/** A run that takes longer hangs. */
const LIMIT_SECONDS = 150;
const CONFIG = ["rollout.proxy_wait_seconds=60", "rollout.max_concurrent_rollouts=8"];

const WORKERS = [
  "--workers=2",
  "--proxy-workers=2",
  `rollout.lease_seconds=${LEASE_SECONDS}`,
  "rollout.controller_wait_seconds=60",
];

/** How the processes of a job are arranged. */
interface Topology {
  readonly name: string;
  /** Arguments of `rolltape rollout`. */
  readonly args: readonly string[];
  /** The proxy at `--proxy` is a process of its own, which is started again when it was killed. */
  readonly proxy?: boolean;
  /** Commands of `rolltape` whose processes are killed in turn. `rollout` is the job itself, which is started again with --resume. */
  readonly victims: readonly string[];
}

const TOPOLOGIES: readonly Topology[] = [
  { name: "one process", args: [], victims: ["rollout"] },
  { name: "--proxy", args: [], proxy: true, victims: ["rollout", "serve"] },
  {
    name: "--proxy-workers 2 --workers 2",
    args: WORKERS,
    victims: ["rollout", "serve", "worker"],
  },
  {
    name: "--job-folder",
    args: WORKERS,
    victims: ["rollout", "serve", "gateway", "worker", "controller"],
  },
];

/** What happened to one job one of whose processes was killed or frozen. */
export interface JobChaosRow {
  readonly topology: string;
  readonly storage: boolean;
  readonly victim: string;
  readonly how: "killed" | "frozen";
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
  report: (row: JobChaosRow) => void,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const problems: string[] = [];
  for (const topology of TOPOLOGIES)
    for (const storage of [true, false])
      for (const victim of topology.victims)
        for (const how of ["killed", "frozen"] as const) {
          const name = `${topology.name}, ${storage ? "with" : "without"} storage: ${victim} ${how}`;
          if (!name.includes(only)) continue;
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

const TIMED_OUT = -1;
const KILLED = 137;

interface Run {
  readonly topology: Topology;
  readonly storage: boolean;
  readonly victim: string;
  readonly how: "killed" | "frozen";
  /** From 0 to 1: when in the job. */
  readonly pause: number;
}

async function runOne({ topology, storage, victim, how, pause }: Run): Promise<JobChaosRow> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-job-chaos-"));
  const children: ChildProcess[] = [];
  const started = performance.now();
  try {
    const done = join(folder, "done");
    writeFileSync(done, "");
    const data = join(folder, "tasks.jsonl");
    writeFileSync(data, Array.from({ length: TASKS }, (_, number) => `${JSON.stringify({ number })}\n`).join(""));
    const env = { ...ENV, CHAOS_DONE_FILE: done, TMPDIR: folder };
    const stored = storage ? [`storage.directory=${folder}/store`] : [];
    const startProxy = proxyStarter(children, env, storage ? [`storage.directory=${folder}/proxy-store`] : []);
    const url = topology.proxy ? await startProxy() : undefined;
    const args = [
      "rollout",
      `--agent=${AGENT}`,
      `--data=${data}`,
      `--out=${folder}/out/batch.safetensors`,
      ...topology.args,
      ...(url === undefined ? [] : [`--proxy=${url}`]),
      ...(topology.name === "--job-folder" ? [`--job-folder=${folder}/job`] : []),
      ...CONFIG,
      ...stored,
    ];
    const job = new Job(args, env, children);
    await job.whenEnded(() => countLines(done) >= 3 + Math.floor(pause * TASKS * 0.6));
    const pid = job.find(victim, children);
    if (pid !== undefined) await hit(pid, how);
    if (how === "killed" && victim === "serve" && topology.proxy) await startProxy();
    if (how === "killed" && victim === "rollout" && (storage || topology.name === "--job-folder")) {
      // Those that the killed process has started end by themselves.
      await sleep(2000);
      job.restart(["--resume"]);
    }
    const { status, reason } = await job.end();
    return {
      ...compare(`${folder}/out`),
      topology: topology.name,
      storage,
      victim,
      how,
      status,
      reason,
      seconds: since(started),
    };
  } finally {
    for (const child of children) killTree(child.pid);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function hit(pid: number, how: Run["how"]): Promise<void> {
  if (how === "killed") return void process.kill(pid, "SIGKILL");
  process.kill(pid, "SIGSTOP");
  await sleep(FREEZE_SECONDS * 1000);
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // Somebody has ended it.
  }
}

/** One job, started again when it was killed itself. */
class Job {
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[];
  #child: ChildProcess;
  #errors = "";
  #output = "";
  #status: number | undefined;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv, children: ChildProcess[]) {
    this.#args = args;
    this.#env = env;
    this.#children = children;
    this.#child = this.#spawn([]);
  }

  restart(more: readonly string[]): void {
    this.#child = this.#spawn(more);
  }

  /** Returns a random process of the job that runs this command of `rolltape`. */
  find(victim: string, children: readonly ChildProcess[]): number | undefined {
    const roots = children.flatMap(({ pid }) => pid ?? []);
    const all = roots.flatMap((root) => [root, ...listDescendants(root)]);
    return all.find((pid) => readCommand(pid) === victim);
  }

  /** Waits until a condition holds, or the job has ended. */
  async whenEnded(condition: () => boolean): Promise<void> {
    const until = performance.now() + LIMIT_SECONDS * 1000;
    while (!condition() && this.#status === undefined && performance.now() < until) await sleep(20);
  }

  async end(): Promise<{ readonly status: number; readonly reason: string }> {
    await this.whenEnded(() => false);
    const lines = this.#errors
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("rolltape: "));
    const [why = this.#errors.trim().split("\n").at(-1) ?? ""] = lines.slice(-1);
    const status = this.#status ?? TIMED_OUT;
    if (status === KILLED) return { status, reason: "it was killed" };
    return { status, reason: status === 0 ? "" : why.slice(0, 300) };
  }

  #spawn(more: readonly string[]): ChildProcess {
    this.#status = undefined;
    const child = spawn(process.execPath, [MAIN, ...this.#args, ...more], {
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.push(child);
    child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (this.#errors = (this.#errors + text).slice(-20_000)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    child.once("close", (code) => {
      if (child === this.#child) this.#status = code ?? KILLED;
    });
    return child;
  }
}

function proxyStarter(
  children: ChildProcess[],
  env: NodeJS.ProcessEnv,
  stored: readonly string[],
): () => Promise<string> {
  let port: number | undefined;
  return async () => {
    port ??= await findFreePort();
    const args = [MAIN, "serve", `server.port=${port}`, "server.log_level=error", ...stored];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
    children.push(child);
    for await (const _ of createInterface(child.stdout)) break;
    return `http://127.0.0.1:${port}`;
  };
}

/** Returns the command of `rolltape` that a process runs. */
function readCommand(pid: number): string | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words[words.indexOf(MAIN) + 1];
  } catch {
    return undefined;
  }
}

function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of [...listDescendants(pid), pid]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has ended.
    }
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

function listBatches(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(".safetensors") ? [join(folder, name)] : []));
  } catch {
    return [];
  }
}

function since(started: number): number {
  return (performance.now() - started) / 1000;
}
