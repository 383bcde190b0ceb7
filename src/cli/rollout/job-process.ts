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
/**
 * A rollout worker makes short-lived objects only: with semi-spaces of 64 MiB instead of 16, fewer of them live long enough
 * to be copied. A proxy counts on Node's own size: see the heap watch of the server.
 */
const NODE_ARGUMENTS = { "rollout worker": ["--max-semi-space-size=64"], "proxy worker": [] } as const;
/** How a command of Rolltape ends if its configuration is invalid. */
const UNUSABLE = "status 2";

export interface JobProcessOptions {
  /** Its name in messages. */
  readonly kind: "proxy worker" | "rollout worker";
  /** Command of `rolltape` and its arguments. */
  readonly args: readonly [command: "serve" | "worker", ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Receives its standard error, whole lines at a time. */
  readonly logs: DestinationStream;
  /** The loss that its death causes, for the message about it: "its sessions are lost". */
  readonly cost: string;
  /** Is called when it dies. */
  readonly onDeath?: ((how: string) => void) | undefined;
}

/**
 * A command of Rolltape in a separate process, with its logs among those of the job. If it dies, it is restarted a few times. It
 * does not receive the terminal's Ctrl-C, and does not outlive this process.
 */
export class JobProcess {
  readonly #options: JobProcessOptions;
  readonly #stopping = new AbortController();
  #group: ChildGroup | undefined;
  #over: Promise<void> = Promise.resolve();

  constructor(options: JobProcessOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it accepts calls.
   *
   * @throws RolloutJobError `proxy_failed` if it ends before that
   */
  async start(): Promise<void> {
    const run = await this.#spawn();
    this.#over = this.#keepRunning(run);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#group?.child.kill("SIGTERM");
    await this.#over;
  }

  async #keepRunning(first: ProcessRun): Promise<void> {
    let run: ProcessRun | undefined = first;
    for (let restarts = 0; run !== undefined; restarts++) {
      const how = await run.ended;
      if (this.#stopping.signal.aborted) return;
      const restart = restarts < RESTARTS;
      const { kind, cost, onDeath } = this.#options;
      onDeath?.(how);
      report(`a ${kind} ended with ${how}; ${cost}, and it is ${restart ? "" : "not "}restarted`);
      run = restart ? await this.#restart(restarts) : undefined;
    }
  }

  /** Returns undefined if the job is over. */
  async #restart(restarts: number): Promise<ProcessRun | undefined> {
    if (!(await pauseBeforeRestart(restarts, this.#stopping.signal))) return undefined;
    return this.#spawn().catch((error: Error) => ({ ended: Promise.resolve(error.message) }));
  }

  /** Resolves when the process accepts calls. */
  async #spawn(): Promise<ProcessRun> {
    const { kind, args, env, logs } = this.#options;
    const main = fileURLToPath(new URL("../main.js", import.meta.url));
    const child = spawn(process.execPath, [...NODE_ARGUMENTS[kind], main, ...args], {
      // Its own group, so that Ctrl-C reaches only the job, which stops its proxies after everything is exported.
      detached: true,
      // The ipc channel carries no messages. When it closes, the worker knows that the job has ended.
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env,
    });
    const group = new ChildGroup(child);
    this.#group = group;
    const ended = group.ended.then(describeEnd);
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error(`a ${kind} has no output`);
    const tail = new OutputTail(stderr, TAIL_BYTES);
    // Log lines are held until the process is ready. If it does not start, only the error shows them.
    let heldLines: string[] | undefined = [];
    createInterface(stderr).on("line", (line) => (heldLines ? heldLines.push(line) : logs.write(`${line}\n`)));
    try {
      if ((await readFirstLine(stdout)) === undefined)
        throw new Error(kind === "proxy worker" ? "it accepted no calls" : "it was not ready");
      for (const line of heldLines) logs.write(`${line}\n`);
      heldLines = undefined;
      tail.end();
      return { ended };
    } catch (error) {
      child.kill("SIGTERM");
      const how = await ended;
      const why = appendTail(`a ${kind} did not start: ${(error as Error).message}; it ended with ${how}.`, tail.text);
      throw new RolloutJobError(how === UNUSABLE ? "invalid_arguments" : "proxy_failed", why);
    }
  }
}

/** One run of the process. */
interface ProcessRun {
  /** Resolves with a description of the end. */
  readonly ended: Promise<string>;
}

function report(message: string): void {
  process.stderr.write(`rolltape: ${message}\n`);
}
