import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { DestinationStream } from "pino";
import { z } from "zod";
import { findFreePort } from "../../scheduler/free-port.js";
import { type ChildEnd, describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { appendTail, OutputTail } from "../../support/processes/output-tail.js";
import { readFirstLine } from "../../support/processes/ready-line.js";
import { pauseBeforeRestart } from "../../support/processes/restart-pause.js";
import { NODE_ARGUMENTS } from "../node-arguments.js";
import { RolloutJobError } from "./errors.js";

/** The limit for the processes of a job. A job lasts some hours, so restarts count until its end. */
const JOB_RESTARTS: RestartLimit = { times: 3, forgetSeconds: Number.POSITIVE_INFINITY };
const TAIL_BYTES = 8192;
/** How a command of Rolltape ends if its configuration is invalid. */
const UNUSABLE = "status 2";

/** How often a process is restarted. */
export interface RestartLimit {
  readonly times: number;
  /** Earlier restarts no longer count once the process has accepted calls for this time. */
  readonly forgetSeconds: number;
}

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
  readonly onDeath?: ((how: string, isRestarted: boolean) => void) | undefined;
  /** Is called with the first line of its standard output whenever it accepts calls. */
  readonly onReady?: ((line: string) => void) | undefined;
  /** Further arguments of Node. */
  readonly nodeArguments?: readonly string[];
  /** Listens on any free port at first, and on the same one after a restart if it is free, because others know the address. */
  readonly keepsPort?: boolean;
  /** Default: 3 restarts. */
  readonly restarts?: RestartLimit;
  /** Receives the message about each death. Default: writes it to standard error. */
  readonly report?: (message: string) => void;
}

/**
 * A command of Rolltape in a separate process, with its logs among those of this process. If it dies, it is restarted a few times.
 * It does not receive the terminal's Ctrl-C, and does not outlive this process.
 */
export class JobProcess {
  readonly #options: JobProcessOptions;
  readonly #stopping = new AbortController();
  #group: ChildGroup | undefined;
  #over: Promise<void> = Promise.resolve();
  #port: number | undefined;
  /** How it ended after {@link stop}. */
  #stopped: ChildEnd | undefined;

  constructor(options: JobProcessOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it accepts calls.
   *
   * @throws RolloutJobError `proxy_failed` if it ends before that
   */
  async start(): Promise<void> {
    const first = this.#spawn();
    this.#over = first.then(
      (run) => this.#keepRunning(run),
      () => undefined,
    );
    await first;
  }

  /** Stops the process. Returns how it ended; undefined if it did not run. */
  async stop(): Promise<ChildEnd | undefined> {
    this.#stopping.abort();
    this.#group?.child.kill("SIGTERM");
    await this.#over;
    return this.#stopped;
  }

  async #keepRunning(first: ProcessRun): Promise<void> {
    const { kind, cost, onDeath, restarts: limit = JOB_RESTARTS, report = writeReport } = this.#options;
    let run: ProcessRun | undefined = first;
    for (let restarts = 0; run !== undefined; restarts++) {
      const how = await run.ended;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - run.readyAt > limit.forgetSeconds * 1000) restarts = 0;
      const restart = restarts < limit.times;
      onDeath?.(how, restart);
      report(`a ${kind} ended with ${how}; ${cost}, and it is ${restart ? "" : "not "}restarted`);
      run = restart ? await this.#restart(restarts) : undefined;
    }
  }

  /** Returns undefined if the job is over. */
  async #restart(restarts: number): Promise<ProcessRun | undefined> {
    if (!(await pauseBeforeRestart(restarts, this.#stopping.signal))) return undefined;
    return this.#spawn().catch((error: Error) => ({
      ended: Promise.resolve(error.message),
      readyAt: Number.POSITIVE_INFINITY,
    }));
  }

  /** Resolves when the process accepts calls. */
  async #spawn(): Promise<ProcessRun> {
    const { kind, args, env, logs, onReady, keepsPort = false } = this.#options;
    const main = fileURLToPath(new URL("../main.js", import.meta.url));
    const nodeArguments = [...NODE_ARGUMENTS, ...(this.#options.nodeArguments ?? [])];
    const place = keepsPort ? [`server.port=${this.#port === undefined ? 0 : await findFreePort(this.#port)}`] : [];
    this.#stopping.signal.throwIfAborted();
    const child = spawn(process.execPath, [...nodeArguments, main, ...args, ...place], {
      // Its own group, so that Ctrl-C reaches only the job, which stops its proxies after everything is exported.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env,
    });
    const group = new ChildGroup(child);
    this.#group = group;
    const ended = group.ended.then((end) => {
      if (this.#stopping.signal.aborted) this.#stopped = end;
      return describeEnd(end);
    });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw new Error(`a ${kind} has no output`);
    const tail = new OutputTail(stderr, TAIL_BYTES);
    // Log lines are held until the process is ready. If it does not start, only the error shows them.
    let heldLines: string[] | undefined = [];
    createInterface(stderr).on("line", (line) => (heldLines ? heldLines.push(line) : logs.write(`${line}\n`)));
    try {
      const line = await readFirstLine(stdout);
      if (line === undefined) throw new Error(kind === "proxy worker" ? "it accepted no calls" : "it was not ready");
      for (const line of heldLines) logs.write(`${line}\n`);
      heldLines = undefined;
      tail.end();
      if (keepsPort) this.#port = readPort(line);
      onReady?.(line);
      return { ended, readyAt: performance.now() };
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
  /** When it accepted calls, on the clock of `performance.now()`. */
  readonly readyAt: number;
}

function readPort(readyLine: string): number {
  return Number(new URL(z.object({ url: z.url() }).parse(JSON.parse(readyLine)).url).port);
}

function writeReport(message: string): void {
  process.stderr.write(`rolltape: ${message}\n`);
}
