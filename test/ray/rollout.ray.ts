import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { installEnvironment } from "../../scripts/python-environment.js";
import { listDescendants } from "../helpers/descendants.js";
import { isGone } from "../helpers/is-gone.js";
import { writeTinyCheckpoint } from "../helpers/tiny-checkpoint.js";
import { until } from "../helpers/until.js";
import { readBatches } from "../scale/read-batches.js";

const TASKS = 600;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = join(ROOT, "dist/cli/main.js");
const RAY = { python: ["3.11", "3.12", "3.13"], packages: ["ray==2.60.0"] };

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rolltape-ray-"));
  children = [];
});

afterEach(async () => {
  // The driver of the job before its cluster, which stops at the end of its input.
  for (const child of children.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, "exit");
    if (child.stdin) child.stdin.end();
    else child.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

it.each([
  { victims: "a raylet", options: [], calls: "the proxy of its node" },
  { victims: "a raylet and its actor", options: ["--through-gateway"], calls: "the gateway" },
])(`accepts each of ${TASKS} tasks once after the end of $victims if workers call $calls`, async (how) => {
  const python = installRay();
  const done = join(folder, "done");
  const out = join(folder, "out");
  writeTasks();
  writeFileSync(done, "");
  mkdirSync(out);
  const [cluster, engine] = await Promise.all([startCluster(python, done), startEngine()]);
  const serve = `engine.type=sglang engine.urls=[${engine}] model.path=${join(folder, "model")}`;
  const controller =
    `--data ${join(folder, "tasks.jsonl")} --out ${join(out, "batch.safetensors")} --no-transcripts --no-metrics ` +
    "rollout.consumer_batch_size=50 rollout.min_accepted_share=1";
  const words = [
    join(ROOT, "examples/ray/rollout.py"),
    "--nodes=3",
    `--rolltape=${process.execPath} ${MAIN}`,
    `--serve=${serve}`,
    `--controller=${controller}`,
    `--worker=--agent ${ROOT}/test/ray/agent.mjs#agent`,
    ...how.options,
  ];
  const job = start(python, words, { RAY_ADDRESS: cluster.address });
  const ended = once(job, "exit");
  await until(() => countLines(done) >= TASKS / 2 || job.exitCode !== null);
  const [raylet = 0] = cluster.raylets;
  const ofNode = listDescendants(raylet);
  const commands = ofNode.map(readRolltapeCommand).filter((command) => command !== undefined);
  const ofJob = listDescendants(job.pid ?? 0);
  const actors = ofNode.filter((pid) => readWords(pid)[0]?.startsWith("ray::Node"));
  // Without a chance to end its children.
  if (how.victims.endsWith("actor")) for (const actor of actors) process.kill(actor, "SIGKILL");
  cluster.killRaylet();
  await ended;

  expect(commands.toSorted()).toEqual(["serve", "worker"]);
  expect(actors).toHaveLength(1);
  expect([...ofNode, ...ofJob].filter((pid) => !isGone(pid))).toEqual([]);
  expect(job.exitCode).toBe(0);
  const counts = [...readBatches(out)].map(([task, sessions]) => [task, sessions.length]);
  expect(counts.toSorted(([a = 0], [b = 0]) => a - b)).toEqual(Array.from({ length: TASKS }, (_, task) => [task, 1]));
});

function installRay(): string {
  const installed = installEnvironment("ray", RAY);
  if (!installed) throw new Error(`Ray needs Python ${RAY.python.join(" or ")}.`);
  return installed.python;
}

interface Cluster {
  readonly address: string;
  readonly raylets: readonly number[];
  /** Kills the first raylet with SIGKILL. */
  readonly killRaylet: () => void;
}

/** @param done file to which agents write */
async function startCluster(python: string, done: string): Promise<Cluster> {
  const program = fileURLToPath(new URL("cluster.py", import.meta.url));
  const child = start(python, [program], { FINISHED_EPISODES: done }, "pipe");
  const { address, raylets } = JSON.parse(await readLine(child)) as Omit<Cluster, "killRaylet">;
  return { address, raylets, killRaylet: () => void child.stdin?.write("kill\n") };
}

async function startEngine(): Promise<string> {
  await writeTinyCheckpoint(join(folder, "model"), 1);
  const child = start(process.execPath, ["--import", "tsx", "test/scale/engine-process.ts"], {});
  return (JSON.parse(await readLine(child)) as { readonly url: string }).url;
}

/** Starts a program that is stopped after the test. */
function start(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  input: "pipe" | "ignore" = "ignore",
): ChildProcess {
  const child = spawn(program, words, {
    cwd: ROOT,
    env: { ...process.env, RAY_USAGE_STATS_ENABLED: "0", ...env },
    stdio: [input, "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

async function readLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    if (line.startsWith("{")) {
      child.stdout?.resume();
      return line;
    }
  }
  throw new Error(`${child.spawnargs.join(" ")} ended before it was ready`);
}

function writeTasks(): void {
  const lines = Array.from({ length: TASKS }, (_, number) => `${JSON.stringify({ number })}\n`);
  writeFileSync(join(folder, "tasks.jsonl"), lines.join(""));
}

function countLines(file: string): number {
  return readFileSync(file, "utf8").split("\n").length - 1;
}

/** Returns the command of `rolltape` that a process runs; undefined if it is another program. */
function readRolltapeCommand(pid: number): string | undefined {
  const words = readWords(pid);
  return words.includes(MAIN) ? words[words.indexOf(MAIN) + 1] : undefined;
}

/** Returns the command line of a process. */
function readWords(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
}
