import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { listDescendants } from "../../helpers/descendants.js";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export const TIMED_OUT = -1;
const KILLED = 137;

export interface JobEnd {
  readonly status: number;
  /** Why the job did not end with status 0, in its own words. */
  readonly reason: string;
}

/** The processes of one job. */
export class JobProcesses implements Disposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[] = [];
  /** Number of running processes whose exit status is the job's. */
  #running = 0;
  #statuses: number[] = [];
  #errors = "";

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** Starts a process that belongs to the job. Resolves with its first line of output. */
  async start(args: readonly string[], prefix: readonly string[] = []): Promise<string> {
    const child = this.#spawn(args, prefix);
    child.stderr?.resume();
    for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
      child.stdout?.resume();
      return line;
    }
    throw new Error(`rolltape ${args[0]} ended with status ${child.exitCode}`);
  }

  /** Starts a process whose exit status is the job's: the job itself, also after it was killed, or another of its controllers. */
  startJob(args: readonly string[], prefix: readonly string[] = []): void {
    const child = this.#spawn(args, prefix);
    this.#running += 1;
    child.stdout?.resume();
    child.stderr
      ?.setEncoding("utf8")
      .on("data", (text: string) => (this.#errors = (this.#errors + text).slice(-20_000)));
    child.once("close", (code) => {
      this.#running -= 1;
      this.#statuses.push(code ?? KILLED);
    });
  }

  /** Returns the first process of the job that runs this command of `rolltape`; undefined if there is none. */
  find(command: string): number | undefined {
    const roots = this.#children.flatMap(({ pid }) => pid ?? []);
    return roots.flatMap((root) => [root, ...listDescendants(root)]).find((pid) => readCommand(pid) === command);
  }

  /** Waits until a condition holds, the job has ended, or `seconds` have passed. */
  async until(condition: () => boolean, seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (!condition() && this.#running > 0 && performance.now() < end) await sleep(20);
  }

  /** Waits at most `seconds` for the end of the job. */
  async end(seconds: number): Promise<JobEnd> {
    await this.until(() => false, seconds);
    const lines = this.#errors.trim().split("\n");
    const why = lines.findLast((line) => line.startsWith("rolltape: ")) ?? lines.at(-1) ?? "";
    // Of several controllers, one must end the job.
    const status = this.#running > 0 ? TIMED_OUT : this.#statuses.includes(0) ? 0 : (this.#statuses.at(-1) ?? KILLED);
    if (status === KILLED) return { status, reason: "it was killed" };
    return { status, reason: status === 0 ? "" : why.slice(0, 300) };
  }

  [Symbol.dispose](): void {
    for (const { pid } of this.#children) killTree(pid);
  }

  #spawn(args: readonly string[], prefix: readonly string[]): ChildProcess {
    const [program = "", ...rest] = [...prefix, process.execPath, MAIN, ...args];
    const child = spawn(program, rest, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    this.#children.push(child);
    return child;
  }
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
