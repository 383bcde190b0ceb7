import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NODE_ARGUMENTS } from "../../../src/cli/node-arguments.js";
import { type Child, childrenOf, cpuSecondsOfTree } from "../../processes.js";
import { ADMIN_KEY } from "../../servers.js";
import { type JobCpu, readJobCpu } from "./cpu-reading.js";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const POLL_MS = 20;

export interface CommandOptions {
  readonly proxy: Child;
  readonly agent: string;
  /** Path of its files, without extension. */
  readonly path: string;
  /** Number of tasks: more than the benchmark can run. */
  readonly tasks: number;
  /** Further arguments. */
  readonly args: readonly string[];
}

export interface CommandReading {
  /** Episodes that have ended. */
  readonly episodes: number;
  readonly cpu: JobCpu;
}

/** `rolltape rollout` as a process, with a proxy of its own. */
export class RolloutCommand {
  readonly #proxy: Child;
  readonly #child: ChildProcess;
  #errors = "";

  constructor({ proxy, agent, path, tasks, args }: CommandOptions) {
    this.#proxy = proxy;
    const data = `${path}.jsonl`;
    writeFileSync(data, Array.from({ length: tasks }, (_, task) => `${task}\n`).join(""));
    const files = ["--data", data, "--out", `${path}.safetensors`];
    const all = [...NODE_ARGUMENTS, MAIN, "rollout", "--proxy", proxy.url, "--agent", agent, ...files, ...args];
    const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
    this.#child = spawn(process.execPath, all, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
  }

  async read(): Promise<CommandReading> {
    const { exitCode, pid = 0 } = this.#child;
    if (exitCode !== null) throw new Error(`rolltape rollout ended with ${exitCode}: ${this.#errors}`);
    const metrics = await (await fetch(`${this.#proxy.url}/metrics`)).text();
    const episodes = Number(/^rolltape_session_turns_count\S* (\d+)/m.exec(metrics)?.[1] ?? 0);
    return { episodes, cpu: readJobCpu(pid) };
  }

  /** Suspends all processes of the job, but not its proxy. They must go on before a lease or a connection ends. */
  suspend(): void {
    this.#signalAll("SIGSTOP");
  }

  resume(): void {
    this.#signalAll("SIGCONT");
  }

  #signalAll(signal: NodeJS.Signals): void {
    const { pid = 0 } = this.#child;
    for (const each of [pid, ...childrenOf(pid)]) process.kill(each, signal);
  }

  /** Stops the job, which writes what has ended. Returns the seconds of processor time that this took. */
  async stop(): Promise<number> {
    const { pid = 0 } = this.#child;
    if (this.#child.exitCode !== null) return 0;
    const before = cpuSecondsOfTree(pid);
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    let spent = 0;
    // A process that ended is no longer counted, so the largest sum is the nearest to what all spent together.
    while (this.#child.exitCode === null && this.#child.signalCode === null) {
      try {
        spent = Math.max(spent, cpuSecondsOfTree(pid) - before);
      } catch {
        // A process ended between two reads.
      }
      await sleep(POLL_MS);
    }
    await ended;
    return spent;
  }

  /** Kills the job if it runs. Its workers end with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#child, "exit");
      // Suspended workers would not notice that the job has ended.
      this.resume();
      this.#child.kill("SIGKILL");
      await ended;
    }
    await this.#proxy.stop();
  }
}

/** Waits until each job has ended its number of episodes. Returns what all had done by then. */
export async function readAll(
  jobs: readonly RolloutCommand[],
  episodes: readonly number[],
): Promise<readonly CommandReading[]> {
  for (;;) {
    const readings = await Promise.all(jobs.map((job) => job.read()));
    if (readings.every((reading, i) => reading.episodes >= (episodes[i] ?? 0))) return readings;
    await sleep(POLL_MS);
  }
}
