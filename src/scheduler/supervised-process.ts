import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../support/async/sleep.js";
import { permissions } from "../support/private-files.js";
import { describeLogEnd, logLength } from "../support/processes/log-file.js";
import { waitForReadyLine } from "../support/processes/ready-line.js";
import { pauseBeforeRestart } from "../support/processes/restart-pause.js";
import type { RoleSpec } from "./job.js";
import type { LaunchedProcess, Launcher, MachineAddress } from "./launcher.js";
import { fillEnvironment, fillIn, type Values } from "./placeholders.js";
import type { ProcessEnd } from "./process-end.js";
import type { JobRole } from "./roles.js";

/** `lost`: it ended, and has no restarts left. `done`: it ended with status 0. */
export type ProcessState = "starting" | "ready" | "restarting" | "lost" | "done" | "stopped";

/** The record of a process in `processes.json` of the job's folder. */
export interface ProcessRecord {
  readonly role: JobRole;
  readonly index: number;
  readonly node: string;
  state: ProcessState;
  url?: string | undefined;
  restarts: number;
  /** How it last ended. */
  ended?: string | undefined;
}

export interface SupervisedOptions {
  readonly spec: RoleSpec;
  readonly index: number;
  readonly folder: string;
  readonly launcher: Launcher;
  readonly stopSeconds: number;
  /** Returns the values of placeholders. It is called whenever the process starts. */
  readonly values: () => Values;
  readonly onChange: () => void;
}

/** One process of a job, which is restarted within its limit. */
export class SupervisedProcess {
  readonly record: ProcessRecord;
  /** Resolves when the process has ended and will not be restarted. */
  readonly over: Promise<ProcessEnd>;
  readonly #options: SupervisedOptions;
  readonly #stopping = new AbortController();
  readonly #place: MachineAddress;
  readonly #errors: string;
  /** Offset in the error log at which the last run begins. */
  #errorsFrom = 0;
  #running: LaunchedProcess | undefined;
  #becameReady: () => void = () => undefined;
  /** Resolves when the process is ready for the first time, or has ended before that. */
  readonly settled: Promise<void>;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    const { spec, index, launcher } = options;
    this.#place = launcher.place(spec.role, index);
    this.#errors = join(options.folder, "logs", `${spec.role}-${index}.err`);
    this.record = { role: spec.role, index, node: this.#place.node, state: "starting", restarts: 0 };
    const ready = new Promise<void>((resolve) => (this.#becameReady = resolve));
    this.over = this.#run();
    this.settled = Promise.race([ready, this.over.then(() => undefined)]);
  }

  /** A sentence with the log of the process and its last lines. */
  get logEnd(): string {
    return describeLogEnd(this.#errors, this.#errorsFrom);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.stop(this.#options.stopSeconds);
    await this.over;
  }

  async #run(): Promise<ProcessEnd> {
    const { spec } = this.#options;
    for (;;) {
      const end = await this.#runOnce();
      if (this.#stopping.signal.aborted) return this.#finish("stopped", end);
      if (end.code === 0 && spec.ready === "started") return this.#finish("done", end);
      // Processes that it left behind could hold its port or its GPU, so that a restart would fail.
      await this.#running?.stop(0);
      this.#running = undefined;
      if (this.record.restarts >= spec.restarts) return this.#finish("lost", end);
      const earlier = this.record.restarts++;
      this.#note("restarting", end);
      if (!(await pauseBeforeRestart(earlier, this.#stopping.signal))) return this.#finish("stopped", end);
    }
  }

  /** Runs the process once. Stops it if it is not ready in time. */
  async #runOnce(): Promise<ProcessEnd> {
    const { spec, stopSeconds } = this.#options;
    const launched = await this.#start().catch(notStarted);
    if ("code" in launched) return launched;
    const { running, ready } = launched;
    this.#running = running;
    // If stop() was called during the start, it did not see this process.
    if (this.#stopping.signal.aborted) void running.stop(stopSeconds);
    const watching = new AbortController();
    const late = AbortSignal.timeout(spec.ready_seconds * 1000);
    const watched = ready(AbortSignal.any([watching.signal, late])).then(
      (url) => {
        this.record.url = url;
        this.#note("ready");
        this.#becameReady();
      },
      () => (late.aborted && !watching.signal.aborted ? running.stop(stopSeconds) : undefined),
    );
    const end = await running.ended;
    watching.abort();
    await watched;
    this.record.url = undefined;
    return late.aborted && this.record.state !== "ready" ? { ...end, text: `not ready in time, ${end.text}` } : end;
  }

  async #start(): Promise<{
    running: LaunchedProcess;
    ready: (signal: AbortSignal) => Promise<string | undefined>;
  }> {
    const { spec, index, folder, launcher } = this.#options;
    const { role, command, env } = spec;
    const values = { ...this.#options.values(), node: this.#place.address, index: String(index), folder };
    const logs = join(folder, "logs");
    mkdirSync(logs, { recursive: true, mode: permissions.folder });
    const output = join(logs, `${role}-${index}.out`);
    this.#errorsFrom = logLength(this.#errors);
    const running = await launcher.launch({
      role,
      index,
      command: command.map((text) => fillIn(text, values)),
      env: fillEnvironment(env, values),
      output,
      errors: this.#errors,
    });
    const ready = async (signal: AbortSignal) => {
      const port = await running.started(signal);
      if (spec.ready === "started") return undefined;
      if (spec.ready === "line") return waitForReadyLine(output, signal);
      return waitUntilAnswers(fillIn(spec.ready.url, { ...values, port }), signal);
    };
    return { running, ready };
  }

  #finish(state: ProcessState, end: ProcessEnd): ProcessEnd {
    this.#note(state, end);
    return end;
  }

  #note(state: ProcessState, end?: ProcessEnd): void {
    this.record.state = state;
    if (end) this.record.ended = end.text;
    this.#options.onChange();
  }
}

/**
 * Converts an error of the start, such as a full disk, to the end of this process, so that it does not end the whole
 * job.
 */
function notStarted(error: unknown): ProcessEnd {
  return { code: 1, text: `did not start: ${error instanceof Error ? error.message : String(error)}` };
}

const POLL_MS = 100;
const REPLY_MS = 3_000;

/** Waits until a URL answers with a status from 200 to 299. Returns its origin. */
async function waitUntilAnswers(url: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const reply = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(REPLY_MS)]) });
      await reply.body?.cancel();
      if (reply.ok) return new URL(url).origin;
    } catch {
      // It does not listen yet.
    }
    await sleep(POLL_MS, signal);
  }
}
