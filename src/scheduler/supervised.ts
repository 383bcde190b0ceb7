import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.js";
import type { Role, RoleSpec } from "./job.js";
import type { Launcher } from "./launcher.js";
import { fillIn } from "./placeholders.js";
import { answering, readyLineOf } from "./readiness.js";
import { type ProcessEnd, RunningProcess } from "./running-process.js";

/** `lost`: it ended more often than it may be started again. `done`: it ended well. */
export type ProcessState = "starting" | "ready" | "restarting" | "lost" | "done" | "stopped";

/** What the job's folder says of a process, in `processes.json`. */
export interface ProcessRecord {
  readonly role: Role;
  readonly index: number;
  readonly node: string;
  state: ProcessState;
  url?: string | undefined;
  restarts: number;
  /** How it ended last. */
  ended?: string | undefined;
}

export interface SupervisedOptions {
  readonly spec: RoleSpec;
  readonly index: number;
  readonly folder: string;
  readonly launcher: Launcher;
  readonly stopSeconds: number;
  /** Values of placeholders, as they are when a process starts. */
  readonly values: () => Readonly<Record<string, string | undefined>>;
  readonly onChange: () => void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** One process of a job, started again within its limit. */
export class SupervisedProcess {
  readonly record: ProcessRecord;
  /** Settles when the process runs no more: well, or for good. */
  readonly over: Promise<ProcessEnd>;
  readonly #options: SupervisedOptions;
  readonly #stopping = new AbortController();
  #running: RunningProcess | undefined;
  #port: string | undefined;
  #becameReady: () => void = () => undefined;
  /** Settles when it is ready for the first time, or over before. */
  readonly settled: Promise<void>;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    const { spec, index, launcher } = options;
    this.record = { role: spec.role, index, node: launcher.node(spec.role, index), state: "starting", restarts: 0 };
    const ready = new Promise<void>((resolve) => (this.#becameReady = resolve));
    this.over = this.#run();
    this.settled = Promise.race([ready, this.over.then(() => undefined)]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.stop(this.#options.stopSeconds);
    await this.over;
  }

  async #run(): Promise<ProcessEnd> {
    const { spec } = this.#options;
    for (;;) {
      const end = await this.#once();
      if (this.#stopping.signal.aborted) return this.#finish("stopped", end);
      if (end.code === 0 && spec.ready === "started") return this.#finish("done", end);
      if (this.record.restarts >= spec.restarts) return this.#finish("lost", end);
      this.record.restarts++;
      this.#note("restarting", end);
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.record.restarts - 1));
      await sleep(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return this.#finish("stopped", end);
    }
  }

  /** One life of the process. One that is not ready in time is ended. */
  async #once(): Promise<ProcessEnd> {
    const { spec, stopSeconds } = this.#options;
    const process = await this.#start();
    this.#running = process.running;
    const watching = new AbortController();
    const late = AbortSignal.timeout(spec.ready_seconds * 1000);
    const ready = process.ready(AbortSignal.any([watching.signal, late])).then(
      (url) => {
        this.record.url = url;
        this.#note("ready");
        this.#becameReady();
      },
      () => (late.aborted && !watching.signal.aborted ? process.running.stop(stopSeconds) : undefined),
    );
    const end = await process.running.ended;
    watching.abort();
    await ready;
    this.record.url = undefined;
    return late.aborted && this.record.state !== "ready" ? { ...end, text: `not ready in time, ${end.text}` } : end;
  }

  async #start(): Promise<{
    running: RunningProcess;
    ready: (signal: AbortSignal) => Promise<string | undefined>;
  }> {
    const { spec, index, folder, launcher } = this.#options;
    const { node } = this.record;
    // The same at every start: others may know its address.
    this.#port ??= String(await freePort());
    const values = { ...this.#options.values(), node, index: String(index), folder, port: this.#port };
    const filled = (text: string) => fillIn(text, values);
    const logs = join(folder, "logs");
    mkdirSync(logs, { recursive: true });
    const output = join(logs, `${spec.role}-${index}.out`);
    const running = new RunningProcess({
      command: launcher.wrap(spec.command.map(filled), spec.role, node),
      env: Object.fromEntries(Object.entries(spec.env).map(([name, value]) => [name, filled(value)])),
      output,
      errors: join(logs, `${spec.role}-${index}.err`),
    });
    const ready = async (signal: AbortSignal) => {
      if (spec.ready === "started") return undefined;
      return spec.ready === "line" ? readyLineOf(output, signal) : answering(filled(spec.ready.url), signal);
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
