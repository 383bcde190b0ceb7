import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { DestinationStream } from "pino";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { appendTail, OutputTail } from "../../support/processes/output-tail.js";
import { readFirstLine } from "../../support/processes/ready-line.js";
import { pauseBeforeRestart } from "../../support/processes/restart-pause.js";
import { RolloutJobError } from "./errors.js";

const RESTARTS = 3;
const TAIL_BYTES = 8192;
/** How `rolltape serve` ends if its configuration is invalid. */
const UNUSABLE = "status 2";

export interface ProxyWorkerOptions {
  /** Of `rolltape serve`. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Receives its standard error, whole lines at a time. */
  readonly logs: DestinationStream;
}

/**
 * `rolltape serve` in a process of its own, with its logs among those of the job. If it dies, it is started again a few
 * times; what it had recorded is lost. It does not receive the terminal's Ctrl-C, and does not outlive this process.
 */
export class ProxyWorker {
  readonly #options: ProxyWorkerOptions;
  readonly #stopping = new AbortController();
  #group: ChildGroup | undefined;
  #over: Promise<void> = Promise.resolve();

  constructor(options: ProxyWorkerOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it takes calls.
   *
   * @throws RolloutJobError `proxy_failed` if it ends before that
   */
  async start(): Promise<void> {
    const life = await this.#spawn();
    this.#over = this.#keep(life);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#group?.child.kill("SIGTERM");
    await this.#over;
  }

  async #keep(first: Life): Promise<void> {
    let life: Life | undefined = first;
    for (let restarts = 0; life !== undefined; restarts++) {
      const how = await life.ended;
      if (this.#stopping.signal.aborted) return;
      const again = restarts < RESTARTS;
      report(`a proxy worker ended with ${how}, its sessions are lost; it is ${again ? "" : "not "}started again`);
      life = again ? await this.#startAgain(restarts) : undefined;
    }
  }

  /** Returns undefined if the job is over. */
  async #startAgain(restarts: number): Promise<Life | undefined> {
    if (!(await pauseBeforeRestart(restarts, this.#stopping.signal))) return undefined;
    return this.#spawn().catch((error: Error) => ({ ended: Promise.resolve(error.message) }));
  }

  /** Resolves when the process takes calls. */
  async #spawn(): Promise<Life> {
    const { args, env, logs } = this.#options;
    const main = fileURLToPath(new URL("../main.js", import.meta.url));
    const child = spawn(process.execPath, [main, "serve", ...args], {
      // Its own group: a Ctrl-C is for the job alone, which stops its proxies when everything is exported.
      detached: true,
      // The channel says nothing: by its end the worker notices that the job is gone.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env,
    });
    const group = new ChildGroup(child);
    this.#group = group;
    const ended = group.ended.then(describeEnd);
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error("a proxy worker has no output");
    const tail = new OutputTail(stderr, TAIL_BYTES);
    // A process that does not start shows its lines in the error only.
    let held: string[] | undefined = [];
    createInterface(stderr).on("line", (line) => (held ? held.push(line) : logs.write(`${line}\n`)));
    try {
      if ((await readFirstLine(stdout)) === undefined) throw new Error("it took no calls");
      for (const line of held) logs.write(`${line}\n`);
      held = undefined;
      tail.end();
      return { ended };
    } catch (error) {
      child.kill("SIGTERM");
      const how = await ended;
      const why = appendTail(
        `a proxy worker did not start: ${(error as Error).message}; it ended with ${how}.`,
        tail.text,
      );
      throw new RolloutJobError(how === UNUSABLE ? "invalid_arguments" : "proxy_failed", why);
    }
  }
}

/** One process of a worker, and how it ended. */
interface Life {
  readonly ended: Promise<string>;
}

function report(message: string): void {
  process.stderr.write(`rolltape: ${message}\n`);
}
