import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onAbort } from "../support/async/on-abort.js";
import { SchedulerError } from "./errors.js";
import { inOrder, type JobSpec, type RoleSpec } from "./job.js";
import type { Launcher } from "./launcher.js";
import { LocalLauncher } from "./local/local-launcher.js";
import { type ProcessRecord, SupervisedProcess } from "./supervised-process.js";

export interface RunJobOptions {
  /** Default: everything on this machine. */
  readonly launcher?: Launcher;
  /** Stops the job. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a job: starts its roles in order, each when all of the one before are ready, starts again what ends too early, and
 * stops everything, in the opposite order, when the controller has ended.
 *
 * @throws {@link SchedulerError} `job_failed` or `job_stopped`, with everything stopped
 */
export async function runJob(
  job: JobSpec,
  { launcher = new LocalLauncher(), signal }: RunJobOptions = {},
): Promise<void> {
  const supervisor = new Supervisor(job, launcher);
  using _listening = onAbort(signal, () => supervisor.fail(new SchedulerError("job_stopped", "The job was stopped.")));
  try {
    await supervisor.run();
  } finally {
    await supervisor.stop();
  }
}

class Supervisor {
  readonly #job: JobSpec;
  readonly #launcher: Launcher;
  /** By role, in the order of their start. */
  readonly #started: SupervisedProcess[][] = [];
  /** Rejects when the job cannot go on. */
  readonly #failure: Promise<never>;
  #reject: (error: SchedulerError) => void = () => undefined;
  #stopping = false;

  constructor(job: JobSpec, launcher: Launcher) {
    this.#job = job;
    this.#launcher = launcher;
    this.#failure = new Promise<never>((_, reject) => (this.#reject = reject));
    // Nothing waits for it between two steps of the job, nor after the last.
    this.#failure.catch(() => undefined);
    mkdirSync(job.folder, { recursive: true });
    // Of a run before this one: its servers are gone.
    rmSync(join(job.folder, "workers"), { recursive: true, force: true });
    rmSync(join(job.folder, "processes.json"), { force: true });
  }

  async run(): Promise<void> {
    for (const spec of inOrder(this.#job)) {
      if (this.#stopping) return;
      await Promise.race([this.#startRole(spec), this.#failure]);
    }
    const controllers = this.#started.at(-1) ?? [];
    const ends = await Promise.race([Promise.all(controllers.map(({ over }) => over)), this.#failure]);
    const bad = ends.findIndex(({ code }) => code !== 0);
    if (bad < 0 || this.#stopping) return;
    const message = `The controller ${ends[bad]?.text}. ${controllers[bad]?.lastWords}`;
    throw new SchedulerError("job_failed", message);
  }

  /** Makes {@link run} reject. */
  fail(error: SchedulerError): void {
    this.#reject(error);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const processes of [...this.#started].reverse()) await Promise.all(processes.map((each) => each.stop()));
  }

  async #startRole(spec: RoleSpec): Promise<void> {
    const processes = Array.from({ length: spec.count }, (_, index) => this.#supervise(spec, index));
    this.#started.push(processes);
    this.#publish();
    for (const { over } of processes) void over.then(() => this.#checkRole(spec, processes));
    await Promise.all(processes.map(({ settled }) => settled));
  }

  #supervise(spec: RoleSpec, index: number): SupervisedProcess {
    return new SupervisedProcess({
      spec,
      index,
      folder: this.#job.folder,
      launcher: this.#launcher,
      stopSeconds: this.#job.stop_seconds,
      values: () => this.#values(index),
      onChange: () => this.#publish(),
    });
  }

  /** A job goes on without some of its engines, proxies and rollout workers, but not without all of a kind. */
  #checkRole({ role }: RoleSpec, processes: readonly SupervisedProcess[]): void {
    if (this.#stopping || role === "controller") return;
    if (!processes.every(({ record }) => record.state === "lost")) return;
    const [first] = processes;
    const message = `No process of role ${role} is left: the first ${first?.record.ended}. ${first?.lastWords}`;
    this.fail(new SchedulerError("job_failed", message));
  }

  #values(index: number): Record<string, string | undefined> {
    const records = this.#records();
    const urls = records.filter(({ role, url }) => role === "engine" && url !== undefined).map(({ url }) => url);
    const urlOf = (wanted: string, at: number) => records.find((r) => r.role === wanted && r.index === at)?.url;
    const proxies = records.filter(({ role }) => role === "proxy").length;
    return {
      engine_urls: JSON.stringify(urls),
      proxy_url: urlOf("proxy", index % proxies),
      gateway_url: urlOf("gateway", 0),
    };
  }

  #records(): ProcessRecord[] {
    return this.#started.flat().map(({ record }) => record);
  }

  /** For people, and for processes that need to know who is left. Readers never see half a file. */
  #publish(): void {
    const file = join(this.#job.folder, "processes.json");
    writeFileSync(`${file}.new`, `${JSON.stringify(this.#records(), null, 2)}\n`);
    renameSync(`${file}.new`, file);
  }
}
