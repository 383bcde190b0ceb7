import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** A command of Rolltape that is killed and started again with the same arguments. It must end with status 0 by itself. */
export class RestartedProcess {
  /** Resolves when the command has ended by itself. Rejects if its status is not 0. */
  readonly done: Promise<void>;
  isDone = false;
  readonly #args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess;
  #settle: { resolve: () => void; reject: (error: Error) => void } = { resolve: () => {}, reject: () => {} };

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#args = args;
    this.#env = env;
    this.done = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Servers are killed at the end: nobody waits for them.
    this.done.catch(() => undefined);
    this.#child = this.#spawn();
  }

  /** Returns the first line of the standard output of the running process. */
  async firstLine(): Promise<string> {
    const { stdout } = this.#child;
    if (!stdout) throw new Error("the process has no output");
    const [line] = (await once(createInterface(stdout), "line")) as [string];
    return line;
  }

  kill(): void {
    this.#child.removeAllListeners("exit");
    this.#child.kill("SIGKILL");
  }

  /** Kills the process and starts it again at once, unless it has ended by itself. */
  restart(): void {
    if (this.isDone) return;
    const killed = this.#child;
    this.kill();
    // A lock of the killed process is free when it has ended.
    killed.once("exit", () => (this.#child = this.#spawn()));
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [MAIN, ...this.#args], { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-4000)));
    child.once("exit", (code, signal) => {
      this.isDone = true;
      if (code === 0) return this.#settle.resolve();
      this.#settle.reject(new Error(`rolltape ${this.#args[0]} ended with ${code ?? signal}: ${errors}`));
    });
    return child;
  }
}
