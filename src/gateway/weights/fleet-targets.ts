import type { StepBody } from "../../control/weights/weight-steps.js";
import {
  StepError,
  type StepFailure,
  type StepFailures,
  type TargetServer,
  tryEach,
  type UpdateTarget,
  type WeightsCheck,
  type WeightTargets,
} from "../../control/weights/weight-targets.js";
import { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { workerSilentError } from "../fleet/failures.js";
import { normalizeUrl } from "../fleet/server-identity.js";
import { setVersion } from "../fleet/set-version.js";
import { noWorkerError } from "../forward.js";
import type { Worker } from "../worker-pool.js";
import { callStep, type Headers, mergeServers, readWeightFleet, type WeightMember } from "./weight-fleet.js";

/** A pause ends when the last running generation was cut. Workers wait up to a minute for that. */
const PAUSE_TIMEOUT_MS = 75_000;
/** A worker ends the comparison itself after 30 seconds. */
const COMPARE_MS = 40_000;
/** No time limit, as long as the worker is reachable. */
const UNLIMITED = Number.POSITIVE_INFINITY;
/** Interval at which workers that join or restart during an update are found, so that they hold their calls too. */
const JOIN_MS = 1_000;

type Step = Partial<StepBody> & Pick<StepBody, "step">;

/**
 * The engine servers of all workers, as the targets of weight updates. All workers hold their calls, and one worker of each
 * server takes the steps on it. If that worker dies, the next one that uses the server takes the step.
 */
export class FleetTargets implements WeightTargets {
  readonly #context: GatewayContext;
  /** The key of the client that called last. An update goes on with it after its client has disconnected. */
  #headers: Headers = {};
  #members: readonly WeightMember[] = [];
  /** Workers that did not answer since the current call began, although they were not down before. */
  #silent: readonly Worker[] = [];
  #target: UpdateTarget | undefined;
  #drained: readonly string[] = [];
  #joins: NodeJS.Timeout | undefined;

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  /** @param headers the key for the next calls */
  useKey(headers: Headers): void {
    this.#headers = headers;
  }

  /** Stops looking for workers that join. */
  close(): void {
    clearInterval(this.#joins);
  }

  get version(): number {
    return this.#context.pool.newestVersion.version;
  }

  /** Returns the update that workers take part in; undefined if there is none. */
  async findUpdate(): Promise<{ target: UpdateTarget; servers: TargetServer[] } | undefined> {
    this.#silent = await this.#read();
    const target = this.#members.find(({ update }) => update !== null)?.update;
    this.#target = target ?? undefined;
    return target ? { target, servers: mergeServers(this.#members) } : undefined;
  }

  async servers(): Promise<readonly TargetServer[]> {
    const silent = await this.#read();
    this.#silent = [...this.#silent, ...silent];
    if (this.#members.length === 0) throw noWorkerError();
    return mergeServers(this.#members);
  }

  spell(exclude: readonly string[], servers: readonly TargetServer[]): string[] {
    return exclude.map((url) => {
      const identity = normalizeUrl(url);
      if (servers.some((server) => server.url === identity)) return identity;
      // The client may use a worker's own spelling, such as a loopback address. It must mean one server only.
      const matches = new Set(
        this.#members.flatMap((member) =>
          [...member.servers].flatMap(([each, { url: own }]) => (normalizeUrl(own) === identity ? [each] : [])),
        ),
      );
      const [match] = matches;
      return matches.size === 1 && match !== undefined ? match : url;
    });
  }

  async isPaused(): Promise<boolean> {
    return this.#members.length > 0 && this.#members.every(({ paused }) => paused);
  }

  /**
   * Asks one worker, because the gateway has no model folder. If the worker cannot read the weights, asks the next: it may run on
   * another machine.
   */
  async compare(target: UpdateTarget): Promise<WeightsCheck | undefined> {
    const options = { headers: this.#headers, milliseconds: COMPARE_MS };
    let check: WeightsCheck | undefined;
    for (const { worker } of this.#members) {
      const reply = await callStep(this.#context, worker, { step: "compare", target }, options);
      check = reply?.check ?? check;
      if (check?.checked) break;
    }
    return check;
  }

  /** Every worker notes the update when it holds its calls. */
  async begin(target: UpdateTarget): Promise<void> {
    const [first] = [...this.#silent, ...(await this.#read())];
    // A repeated update goes on without silent workers: they hold their calls, and if they died, their calls ended with them.
    if (first && !this.#target) throw workerSilentError(first, "No engine server was changed.");
    this.#target = target;
  }

  async prepare(target: UpdateTarget): Promise<void> {
    await this.#onWorkers(() => ({ step: "prepare", target }), UNLIMITED);
  }

  async pause(urls: readonly string[], excluded: readonly string[]): Promise<StepFailures> {
    this.#drained = excluded;
    await this.#holdAll();
    // Workers that an earlier attempt holds do not know of servers that only this attempt excludes.
    if (excluded.length > 0)
      await this.#onWorkers((member) => ({ step: "drain", servers: spellFor(member, excluded) }));
    this.#joins ??= setInterval(() => void this.#holdAll().catch(() => undefined), JOIN_MS).unref();
    return tryEach(urls, (url) => this.#onServer(url, { step: "pause" }, PAUSE_TIMEOUT_MS));
  }

  async load(url: string, target: UpdateTarget, signal: AbortSignal): Promise<void> {
    await this.#onServer(url, { step: "load", target }, undefined, signal);
  }

  async finish(url: string, _version: number, signal: AbortSignal): Promise<void> {
    await this.#onServer(url, { step: "finish", target: this.#target }, undefined, signal);
  }

  async commit(version: number): Promise<void> {
    await this.#holdAll();
    const { status } = await setVersion(this.#context, this.#headers, { version });
    if (status >= 300) throw new ApiError("invalid_worker_reply", `A worker refused the version (HTTP ${status}).`);
  }

  resume(urls: readonly string[]): Promise<StepFailures> {
    return tryEach(urls, (url) => this.#onServer(url, { step: "resume" }, PAUSE_TIMEOUT_MS));
  }

  async drain(urls: readonly string[]): Promise<void> {
    this.#drained = [...this.#drained, ...urls];
    await this.#onWorkers((member) => ({ step: "drain", servers: spellFor(member, urls) }));
  }

  async release(servers: readonly TargetServer[], hold: boolean): Promise<void> {
    clearInterval(this.#joins);
    this.#joins = undefined;
    await this.#read();
    await this.#onWorkers((member) => {
      const known = servers.flatMap(({ url, version, path }) => {
        const own = member.servers.get(url);
        return own ? [{ url: own.url, version, path }] : [];
      });
      return { step: "release", known, hold };
    });
    this.#target = undefined;
    this.#drained = [];
  }

  /** The worker that takes a step on a server notes its result. */
  note(): void {}

  async #read() {
    const { members, silent } = await readWeightFleet(this.#context, this.#headers);
    this.#members = members;
    return silent;
  }

  /** Makes all workers hold their calls. Repeats this until no new worker has joined meanwhile. */
  async #holdAll(): Promise<void> {
    const target = this.#target;
    if (!target) return;
    const held = new Set<string>();
    for (;;) {
      await this.#read();
      const joined = this.#members.filter(
        ({ worker, update, interrupted }) => (interrupted || !isSame(update, target)) && !held.has(worker.tag),
      );
      if (joined.length === 0) return;
      for (const { worker } of joined) held.add(worker.tag);
      const step = (member: WeightMember): Step => {
        return { step: "hold", target, servers: spellFor(member, this.#drained) };
      };
      await this.#onWorkers(step, PAUSE_TIMEOUT_MS, joined);
    }
  }

  /**
   * Takes a step on all workers. A worker that does not answer has no calls that could reach an engine server.
   *
   * @throws ApiError of the first worker that refuses
   */
  async #onWorkers(
    step: (member: WeightMember) => Step,
    milliseconds = this.#context.controlMilliseconds,
    members = this.#members,
  ): Promise<void> {
    const options = { headers: this.#headers, milliseconds: milliseconds === UNLIMITED ? undefined : milliseconds };
    const results = await Promise.allSettled(
      members.map(async (member) => {
        const reply = await callStep(this.#context, member.worker, step(member), options);
        if (!reply) member.worker.state = "down";
      }),
    );
    const refused = results.find((result) => result.status === "rejected");
    if (refused) throw refused.reason;
  }

  /** Takes a step on one server, by one of its workers. @throws StepError */
  async #onServer(url: string, step: Step, milliseconds: number | undefined, signal?: AbortSignal): Promise<void> {
    const options = { headers: this.#headers, milliseconds, ...(signal ? { signal } : {}) };
    const tags = new Set<string>();
    for (;;) {
      const member = this.#members.find(({ worker, servers }) => servers.has(url) && !tags.has(worker.tag));
      if (!member) throw new StepError(unreachable(url));
      tags.add(member.worker.tag);
      const servers = spellFor(member, [url]);
      const reply = await callStep(this.#context, member.worker, { ...step, servers }, options).catch(throwStepError);
      if (signal?.aborted) throw signal.reason;
      const [failure] = reply?.failures ?? [];
      if (failure) throw new StepError(failure);
      if (reply) return;
      member.worker.state = "down";
    }
  }
}

/** Returns the addresses of servers in a worker's own spelling, without those that it does not use. */
function spellFor({ servers }: WeightMember, urls: readonly string[]): string[] {
  return urls.flatMap((url) => servers.get(url)?.url ?? []);
}

function isSame(update: UpdateTarget | null, { version, mode, path }: UpdateTarget): boolean {
  return update?.version === version && update.mode === mode && update.path === path;
}

function unreachable(url: string): StepFailure {
  return { message: `No worker of ${url} answers.`, unchanged: false, unreachable: true };
}

function throwStepError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw new StepError({ message: error.message, unchanged: false, unreachable: false });
}
