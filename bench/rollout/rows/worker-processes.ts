import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NODE_ARGUMENTS } from "../../../src/cli/node-arguments.js";
import { type Child, childrenOf, cpuSecondsOfTree } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { ADMIN_KEY, startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const AGENT = `${fileURLToPath(new URL("../agents.ts", import.meta.url))}#sdkAgent`;
const [CONCURRENT, BATCH] = sized([128, 128], [4, 4]);
/** Each process compiles its own hot functions, so two workers need twice as many episodes as one process until V8 has compiled them. */
const [WARM_UP, EPISODES] = sized([3072, 2048], [8, 16], [1280, 256]);
/** The two jobs take turns so many times. */
const ROUNDS = sized(8, 2, 4);
/** Time after the start of a turn that is not measured: the answers that arrived meanwhile are read at once. */
const SETTLE_MS = 1_000;
const POLL_MS = 20;
/** Number of tasks: more than the jobs can run. */
const TASKS = 4 * (WARM_UP + EPISODES) + 512 * ROUNDS;
const TARGET = 1.15;

/**
 * Compares the processor time of an episode of `rolltape rollout --workers 2`, controller and workers together, with that of `rolltape
 * rollout`, which runs the same agent in its own process. It is the slope between two numbers of episodes of the same job, so that the
 * start and the end of a job do not count.
 *
 * The jobs take turns of some seconds: one runs while the processes of the other are suspended. So each has the machine to itself, as a
 * job usually has, and both meet the same noise of a shared machine. Each has a proxy of its own.
 */
export async function measureWorkerProcesses(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  try {
    const [measured, reference] = await measureJobs(engine, folder);
    return {
      what: "processor time of an episode, controller and 2 rollout workers against one process",
      measured: `${measured.toFixed(2)} ms`,
      reference: `${reference.toFixed(2)} ms`,
      verdict: { value: measured / reference, target: TARGET, bound: "at most", unit: "x" },
    };
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Returns the milliseconds of an episode, with workers and without. */
async function measureJobs(engine: Child, folder: string): Promise<[workers: number, inline: number]> {
  const start = async (name: string, ...args: string[]) => {
    const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
    return new RolloutCommand(proxy, join(folder, name), args);
  };
  await using workers = await start("workers", "--workers", "2");
  await using inline = await start("inline");
  const jobs = [workers, inline] as const;
  await Promise.all(jobs.map((job) => job.waitFor(WARM_UP)));
  for (const job of jobs) job.signal("SIGSTOP");
  for (let round = 0; round < ROUNDS; round++) {
    for (const job of round % 2 === 0 ? jobs : jobs.toReversed()) await job.takeTurn(EPISODES / ROUNDS);
  }
  return [workers.millisecondsPerEpisode, inline.millisecondsPerEpisode];
}

/** `rolltape rollout` as a process, with a proxy of its own. */
class RolloutCommand {
  readonly #proxy: Child;
  readonly #child: ChildProcess;
  #errors = "";
  /** Of the turns so far. */
  #episodes = 0;
  #seconds = 0;

  /** @param path of its files, without extension */
  constructor(proxy: Child, path: string, args: readonly string[]) {
    this.#proxy = proxy;
    const data = `${path}.jsonl`;
    writeFileSync(data, Array.from({ length: TASKS }, (_, task) => `${task}\n`).join(""));
    const files = ["--data", data, "--out", `${path}.safetensors`];
    const settings = [`rollout.consumer_batch_size=${BATCH}`, `rollout.max_concurrent_rollouts=${CONCURRENT}`];
    const command = ["rollout", "--proxy", proxy.url, "--agent", AGENT, ...files, ...settings, ...args];
    const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
    const stdio = ["ignore", "ignore", "pipe"] as const;
    this.#child = spawn(process.execPath, [...NODE_ARGUMENTS, MAIN, ...command], { env, stdio: [...stdio] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
  }

  get millisecondsPerEpisode(): number {
    return (this.#seconds * 1000) / this.#episodes;
  }

  /** Waits until so many episodes have ended. Returns their number and the seconds of processor time by then. */
  async waitFor(episodes: number): Promise<{ readonly episodes: number; readonly seconds: number }> {
    for (;;) {
      const { exitCode, pid = 0 } = this.#child;
      if (exitCode !== null) throw new Error(`rolltape rollout ended with ${exitCode}: ${this.#errors}`);
      const metrics = await (await fetch(`${this.#proxy.url}/metrics`)).text();
      const ended = Number(/^rolltape_session_turns_count\S* (\d+)/m.exec(metrics)?.[1] ?? 0);
      if (ended >= episodes) return { episodes: ended, seconds: cpuSecondsOfTree(pid) };
      await sleep(POLL_MS);
    }
  }

  /** Runs for so many episodes, then is suspended. */
  async takeTurn(episodes: number): Promise<void> {
    this.signal("SIGCONT");
    await sleep(SETTLE_MS);
    const from = await this.waitFor(0);
    const to = await this.waitFor(from.episodes + episodes);
    this.signal("SIGSTOP");
    this.#episodes += to.episodes - from.episodes;
    this.#seconds += to.seconds - from.seconds;
  }

  /** Signals all processes of the job, but not its proxy. A suspended job must go on before a lease or a connection ends. */
  signal(signal: NodeJS.Signals): void {
    const { pid = 0 } = this.#child;
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal);
  }

  /** Kills the job if it runs. Its workers end with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#child, "exit");
      // Suspended workers would not notice that the job has ended.
      this.signal("SIGCONT");
      this.#child.kill("SIGKILL");
      await ended;
    }
    await this.#proxy.stop();
  }
}
