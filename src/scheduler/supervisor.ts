import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onAbort } from "../support/async/on-abort.js";
import { sleep } from "../support/async/sleep.js";
import { permissions } from "../support/private-files.js";
import { SchedulerError } from "./errors.js";
import { type JobSpec, type RoleSpec, sortRoles } from "./job.js";
import type { Launcher } from "./launcher.js";
import { LocalLauncher } from "./local/local-launcher.js";
import { type JobRole, ROLES } from "./roles.js";
import { type ProcessRecord, SupervisedProcess } from "./supervised-process.js";

export interface RunJobOptions {
  /** Default: starts everything on this machine. */
  readonly launcher?: Launcher;
  /** Stops the job. */
  readonly signal?: AbortSignal | undefined;
  /** Is called when the job failed and its proxies are kept, because they have sessions that were not exported. */
  readonly onKept?: ((kept: KeptSessions) => void) | undefined;
}

/** Finished sessions on the proxies of a job that failed. */
export interface KeptSessions {
  readonly count: number;
  /** Address of the gateway, or of the first proxy. */
  readonly url: string;
  /** Why the job failed. */
  readonly error: SchedulerError;
}

/** Tells what a job that failed has kept, and what to do with it. */
export function describeKept({ count, url, error }: KeptSessions): string {
  const what = `${error.message}\nIts proxies keep running, because they have ${count} finished sessions that were not exported.`;
  return `${what} ${url}/rl/sessions?state=ended lists them. Export or delete them at ${url}, or stop the job (Ctrl-C) to drop them.`;
}

/**
 * Runs a job.
 *
 * 1. Start the roles in order. A role starts when all processes of the previous role are ready.
 * 2. Restart processes that end too early.
 * 3. When the controller has ended, stop all roles in the opposite order. If the job failed, the proxies and the gateway are kept
 *    until their sessions are exported or deleted, or the signal aborts.
 *
 * @throws {@link SchedulerError} `job_failed` or `job_stopped`, after everything was stopped
 */
export async function runJob(
  job: JobSpec,
  { launcher = new LocalLauncher(), signal, onKept }: RunJobOptions = {},
): Promise<void> {
  const supervisor = new Supervisor(job, launcher);
  using _listening = onAbort(signal, () => supervisor.fail(new SchedulerError("job_stopped", "The job was stopped.")));
  try {
    await supervisor.run();
  } catch (error) {
    const isFailure = error instanceof SchedulerError && error.code === "job_failed";
    if (isFailure && signal?.aborted !== true) await supervisor.keepSessions(error, { signal, onKept });
    throw error;
  } finally {
    await supervisor.stop();
  }
}

class Supervisor {
  readonly #job: JobSpec;
  readonly #launcher: Launcher;
  /** The processes by role, in the order of their start. */
  readonly #started: SupervisedProcess[][] = [];
  /** Rejects when the job cannot go on. */
  readonly #failure: Promise<never>;
  #reject: (error: SchedulerError) => void = () => undefined;
  #stopping = false;

  constructor(job: JobSpec, launcher: Launcher) {
    this.#job = job;
    this.#launcher = launcher;
    this.#failure = new Promise<never>((_, reject) => (this.#reject = reject));
    // Between two steps of the job nothing awaits this promise. Without a handler, its rejection would end the process.
    this.#failure.catch(() => undefined);
    mkdirSync(job.folder, { recursive: true, mode: permissions.folder });
    // These files may be left from an earlier run, whose servers are gone.
    rmSync(join(job.folder, "workers"), { recursive: true, force: true });
    rmSync(join(job.folder, "processes.json"), { force: true });
  }

  async run(): Promise<void> {
    for (const spec of sortRoles(this.#job)) {
      if (this.#stopping) return;
      await Promise.race([this.#startRole(spec), this.#failure]);
    }
    const controllers = this.#started.at(-1) ?? [];
    const ends = await Promise.race([Promise.all(controllers.map(({ over }) => over)), this.#failure]);
    const failed = ends.findIndex(({ code }) => code !== 0);
    if (failed < 0 || this.#stopping) return;
    const message = `The controller ${ends[failed]?.text}. ${controllers[failed]?.logEnd}`;
    throw new SchedulerError("job_failed", message);
  }

  /** Makes {@link run} reject. */
  fail(error: SchedulerError): void {
    this.#reject(error);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#stopRoles(ROLES);
  }

  /** Keeps the proxies and the gateway of a job that failed until their sessions are exported or deleted, or the signal aborts. */
  async keepSessions(error: SchedulerError, { signal, onKept }: Omit<RunJobOptions, "launcher">): Promise<void> {
    const spec = this.#job.roles.find(({ role }) => role === "proxy");
    const adminKey = spec?.env["ROLLTAPE_ADMIN_API_KEY"] ?? process.env["ROLLTAPE_ADMIN_API_KEY"];
    if (adminKey === undefined) return;
    await this.#stopRoles(["rollout", "controller"]);
    const sessions = new UnexportedSessions(this.#records(), adminKey);
    const count = await sessions.count();
    const urls = ["gateway", "proxy"].flatMap(
      (wanted) => this.#records().find(({ role, url }) => role === wanted && url)?.url ?? [],
    );
    const [url] = urls;
    if (count === 0 || url === undefined) return;
    onKept?.({ count, url, error });
    await sessions.gone(signal ?? new AbortController().signal);
  }

  /** Stops the processes of these roles, in the opposite order of their start. */
  async #stopRoles(roles: readonly JobRole[]): Promise<void> {
    for (const processes of [...this.#started].reverse()) {
      if (!roles.some((role) => role === processes[0]?.record.role)) continue;
      await Promise.all(processes.map((process) => process.stop()));
    }
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

  /** Fails the job if all processes of a role are lost. It continues without some of them. */
  #checkRole({ role }: RoleSpec, processes: readonly SupervisedProcess[]): void {
    if (this.#stopping || role === "controller") return;
    if (!processes.every(({ record }) => record.state === "lost")) return;
    const [first] = processes;
    const message = `All processes of role ${role} are lost. The first one ${first?.record.ended}. ${first?.logEnd}`;
    this.fail(new SchedulerError("job_failed", message));
  }

  #values(index: number): Record<string, string | undefined> {
    const records = this.#records();
    const urls = records.filter(({ role, url }) => role === "engine" && url !== undefined).map(({ url }) => url);
    const findUrl = (wanted: string, at: number) => records.find((r) => r.role === wanted && r.index === at)?.url;
    const proxies = records.filter(({ role }) => role === "proxy").length;
    return {
      engine_urls: JSON.stringify(urls),
      proxy_url: findUrl("proxy", index % proxies),
      gateway_url: findUrl("gateway", 0),
    };
  }

  #records(): ProcessRecord[] {
    return this.#started.flat().map(({ record }) => record);
  }

  /** Writes `processes.json` for users and other processes. The rename keeps readers from seeing an incomplete file. */
  #publish(): void {
    const file = join(this.#job.folder, "processes.json");
    writeFileSync(`${file}.new`, `${JSON.stringify(this.#records(), null, 2)}\n`);
    renameSync(`${file}.new`, file);
  }
}

const POLL_MS = 2_000;
const REPLY_MS = 10_000;
/** Maximum of a page, as `GET /rl/sessions` allows it. */
const MAX_LISTED = 100_000;

/** Counts the sessions of a job's proxies that ended and were not exported. */
export class UnexportedSessions {
  readonly #proxies: readonly ProcessRecord[];
  readonly #adminKey: string;
  /** The last number of each proxy. */
  readonly #counts = new Map<ProcessRecord, number>();

  constructor(records: readonly ProcessRecord[], adminKey: string) {
    this.#proxies = records.filter(({ role }) => role === "proxy");
    this.#adminKey = adminKey;
  }

  /** Returns their number on all proxies. A proxy that does not answer has its last number, unless it is lost. */
  async count(): Promise<number> {
    const counts = await Promise.all(this.#proxies.map((proxy) => this.#countOf(proxy)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when none is left or the signal aborts. */
  async gone(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.count()) > 0) await sleep(POLL_MS, signal).catch(() => undefined);
  }

  async #countOf(proxy: ProcessRecord): Promise<number> {
    if (proxy.state === "lost" || proxy.state === "stopped") return 0;
    const count = await this.#ask(proxy.url).catch(() => undefined);
    if (count !== undefined) this.#counts.set(proxy, count);
    return this.#counts.get(proxy) ?? 0;
  }

  async #ask(url: string | undefined): Promise<number | undefined> {
    if (url === undefined) return undefined;
    const headers = { authorization: `Bearer ${this.#adminKey}` };
    const signal = AbortSignal.timeout(REPLY_MS);
    const reply = await fetch(`${url}/rl/sessions?state=ended&limit=${MAX_LISTED}`, { headers, signal });
    const { sessions } = (await reply.json()) as { readonly sessions?: readonly unknown[] };
    return sessions?.length;
  }
}
