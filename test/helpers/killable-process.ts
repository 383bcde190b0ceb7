import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** The command line program, started again and again with the same arguments. */
export class KillableProcess {
  readonly name: string;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #errors: number | "inherit";
  #child: ChildProcess | undefined;
  #url = "";

  /** @param errors file descriptor of its standard error. Default: that of this process */
  constructor(name: string, args: readonly string[], env: NodeJS.ProcessEnv, errors: number | "inherit" = "inherit") {
    this.name = name;
    this.#args = args;
    this.#env = env;
    this.#errors = errors;
  }

  /** Its address since the last start. */
  get url(): string {
    return this.#url;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`the ${this.name} does not run`);
    return this.#child.pid;
  }

  /** Resolves when the program accepts calls. Rejects if it ends before. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, ["dist/cli/main.js", ...this.#args], {
      stdio: ["ignore", "pipe", this.#errors],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    if (!child.stdout) throw new Error("the child has no standard output");
    for await (const line of createInterface(child.stdout)) {
      const { event, url = "" } = JSON.parse(line) as { event?: string; url?: string };
      if (event !== "ready") continue;
      this.#url = url;
      return;
    }
    throw new Error(`the ${this.name} ended before it was ready`);
  }

  /** Kills the process with SIGKILL. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Asks the process to stop. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }
}
