import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Row } from "../../export/row.js";
import { type Child, cpuSecondsOfTree } from "../../processes.js";
import { ADMIN_KEY, startProxy, startScript } from "../../servers.js";
import { sized } from "../../sized.js";

const WHAT = "processor time of an episode, controller and 2 rollout workers against one process";
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const AGENT = `${fileURLToPath(new URL("../agents.ts", import.meta.url))}#sdkAgent`;
const [CONCURRENT, BATCH] = sized([128, 128], [4, 4]);
/** Node compiles what is called often: the first episodes of a job are not measured. */
const [WARM_UP, EPISODES] = sized([1024, 1024], [8, 16]);
const POLL_MS = 20;
const TARGET = 1.15;

/**
 * Compares what an episode costs `rolltape rollout --workers 2` (controller and workers together) with what it costs
 * `rolltape rollout`, which runs the same agent in its own process.
 *
 * Both jobs run at the same time, each with a proxy of its own, because the processor time of the same work changes with what
 * else runs on the machine.
 */
export async function measureWorkerProcesses(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  const start = async (name: string, ...args: string[]) => {
    const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
    return new Job(proxy, join(folder, name), args);
  };
  const jobs = [await start("workers", "--workers", "2"), await start("inline")];
  try {
    const from = await readAll(jobs, (counts) => counts.every((count) => count >= WARM_UP));
    const to = await readAll(jobs, (counts) =>
      counts.every((count, i) => count >= (from[i]?.episodes ?? 0) + EPISODES),
    );
    const [measured = 0, reference = 0] = to.map(({ seconds, episodes }, i) => {
      const { seconds: before = 0, episodes: earlier = 0 } = from[i] ?? {};
      return ((seconds - before) * 1000) / (episodes - earlier);
    });
    return {
      what: WHAT,
      measured: `${measured.toFixed(2)} ms`,
      reference: `${reference.toFixed(2)} ms`,
      verdict: { value: measured / reference, target: TARGET, bound: "at most", unit: "x" },
    };
  } finally {
    await Promise.all(jobs.map((job) => job.stop()));
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Reading {
  readonly episodes: number;
  /** Processor time. */
  readonly seconds: number;
}

/** Waits until the numbers of episodes are reached. Returns what every job has done by then. */
async function readAll(jobs: readonly Job[], isReached: (counts: readonly number[]) => boolean): Promise<Reading[]> {
  for (;;) {
    const readings = await Promise.all(jobs.map((job) => job.read()));
    if (isReached(readings.map(({ episodes }) => episodes))) return readings;
    await sleep(POLL_MS);
  }
}

/** `rolltape rollout` with more tasks than it gets to. */
class Job {
  readonly #proxy: Child;
  readonly #child: ChildProcess;
  #errors = "";

  constructor(proxy: Child, name: string, args: readonly string[]) {
    this.#proxy = proxy;
    const data = `${name}.jsonl`;
    writeFileSync(data, Array.from({ length: 20 * (WARM_UP + EPISODES) }, (_, task) => `${task}\n`).join(""));
    const files = ["--data", data, "--out", `${name}.safetensors`];
    const settings = [`rollout.consumer_batch_size=${BATCH}`, `rollout.max_concurrent_rollouts=${CONCURRENT}`];
    const all = [MAIN, "rollout", "--proxy", proxy.url, "--agent", AGENT, ...files, ...settings, ...args];
    const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
    this.#child = spawn(process.execPath, all, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
  }

  async read(): Promise<Reading> {
    const { exitCode, pid = 0 } = this.#child;
    if (exitCode !== null) throw new Error(`rolltape rollout ended with ${exitCode}: ${this.#errors}`);
    const metrics = await (await fetch(`${this.#proxy.url}/metrics`)).text();
    const episodes = Number(/^rolltape_session_turns_count\S* (\d+)/m.exec(metrics)?.[1] ?? 0);
    return { episodes, seconds: cpuSecondsOfTree(pid) };
  }

  async stop(): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, "exit") : undefined;
    this.#child.kill("SIGTERM");
    await ended;
    await this.#proxy.stop();
  }
}
