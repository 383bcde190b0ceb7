import { randomUUID } from "node:crypto";
import type { StepBody, StepReply } from "../../admin-api/weights/weight-steps.js";
import {
  StepError,
  type StepFailure,
  type StepFailures,
  type TargetServer,
  tryEach,
  type UpdateTarget,
  type WeightsCheck,
  type WeightTargets,
} from "../../admin-api/weights/weight-targets.js";
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
  readonly #model: string | undefined;
  /** The key of the client that called last. An update goes on with it after its client has disconnected. */
  #headers: Headers = {};
  #members: readonly WeightMember[] = [];
  /** Workers that did not answer since the current call began, although they were not down before. */
  #silent: readonly Worker[] = [];
  #target: UpdateTarget | undefined;
  /** The update that takes steps on the workers; undefined if this gateway has begun none, or has only found one. */
  #id: string | undefined;
  /** Updates whose workers this one may take: earlier attempts, and one that was found. */
  #replaces: readonly string[] = [];
  #claiming: Promise<void> | undefined;
  #isReplaced = false;
  #drained: readonly string[] = [];
  #joins: NodeJS.Timeout | undefined;

  /** @param model the model that is updated; see {@link readWeightFleet} */
  constructor(context: GatewayContext, model?: string) {
    this.#context = context;
    this.#model = model;
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
    if (this.#model === undefined) return this.#context.pool.newestVersion.version;
    return Math.max(0, ...this.#members.map(({ version }) => version));
  }

  /** Returns the update that workers take part in; undefined if there is none. */
  async findUpdate(): Promise<{ target: UpdateTarget; servers: TargetServer[] } | undefined> {
    this.#silent = await this.#read();
    const target = this.#members.find(({ update }) => update !== null)?.update;
    this.#target = target ?? undefined;
    this.#id = undefined;
    this.#replaces = target ? [target.id] : [];
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
      const reply = await callStep(this.#context, worker, { step: "compare", target, model: this.#model }, options);
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
    this.#replaces = [...this.#replaces, ...(this.#id === undefined ? [] : [this.#id])];
    this.#id = randomUUID();
    this.#claiming = undefined;
  }

  async prepare(target: UpdateTarget, excluded: readonly string[]): Promise<void> {
    const step = (member: WeightMember): Step => ({ step: "prepare", target, servers: spellFor(member, excluded) });
    await this.#onWorkers(step, UNLIMITED);
  }

  async pause(urls: readonly string[], excluded: readonly string[]): Promise<StepFailures> {
    this.#drained = excluded;
    await this.#holdAll();
    // Workers that an earlier attempt holds do not know of servers that only this attempt excludes.
    if (excluded.length > 0)
      await this.#onWorkers((member) => ({ step: "drain", servers: spellFor(member, excluded) }));
    this.#joins ??= setInterval(() => void this.#holdAll().catch(() => undefined), JOIN_MS).unref();
    return tryEach(urls, async (url) => void (await this.#onServer(url, { step: "pause" }, PAUSE_TIMEOUT_MS)));
  }

  async sleep(url: string, signal: AbortSignal): Promise<boolean> {
    const reply = await this.#onServer(url, { step: "sleep" }, undefined, signal);
    return !reply.lost;
  }

  async wake(url: string, signal: AbortSignal): Promise<void> {
    await this.#claim();
    await this.#onServer(url, { step: "wake" }, undefined, signal);
  }

  async load(url: string, target: UpdateTarget, signal: AbortSignal): Promise<void> {
    await this.#onServer(url, { step: "load", target }, undefined, signal);
  }

  async finish(url: string, _version: number, signal: AbortSignal): Promise<void> {
    await this.#claim();
    await this.#onServer(url, { step: "finish", target: this.#target }, undefined, signal);
  }

  async commit(version: number): Promise<void> {
    await this.#claim();
    await this.#holdAll();
    const { status } = await setVersion(this.#context, this.#headers, { version, model: this.#model });
    await this.#read();
    if (status >= 300) throw new ApiError("invalid_worker_reply", `A worker refused the version (HTTP ${status}).`);
  }

  async resume(urls: readonly string[]): Promise<StepFailures> {
    await this.#claim();
    return tryEach(urls, async (url) => void (await this.#onServer(url, { step: "resume" }, PAUSE_TIMEOUT_MS)));
  }

  async drain(urls: readonly string[]): Promise<void> {
    await this.#claim();
    this.#drained = [...this.#drained, ...urls];
    await this.#onWorkers((member) => ({ step: "drain", servers: spellFor(member, urls) }));
  }

  async release(servers: readonly TargetServer[], hold: boolean): Promise<void> {
    clearInterval(this.#joins);
    this.#joins = undefined;
    await this.#claim();
    await this.#read();
    const step = (member: WeightMember): Step => {
      const known = servers.flatMap(({ url, version, path }) => {
        const server = member.servers.get(url);
        return server ? [{ url: server.url, version, path }] : [];
      });
      return { step: "release", known, hold };
    };
    // A worker that takes part in another update stays as it is.
    await this.#onWorkers(step).catch((error: unknown) => {
      if (!isBusy(error)) throw error;
    });
    this.abandon();
  }

  /** True if the update was only found on the workers, or if another gateway has replaced it or given it up. */
  get isForeign(): boolean {
    return this.#isReplaced || (this.#target !== undefined && this.#id === undefined);
  }

  /** Forgets the update. */
  abandon(): void {
    this.close();
    this.#joins = undefined;
    this.#target = undefined;
    this.#id = undefined;
    this.#replaces = [];
    this.#drained = [];
    this.#isReplaced = false;
  }

  /** The worker that takes a step on a server notes its result. */
  note(): void {}

  async #read() {
    const { members, silent } = await readWeightFleet(this.#context, this.#headers, this.#model);
    this.#members = members;
    return silent;
  }

  /** Takes the workers of an update that was found for this gateway, before the first step on them. The steps of whoever began it fail. */
  async #claim(): Promise<void> {
    if (!this.#target) return;
    if (this.#id === undefined) {
      const id = (this.#id = randomUUID());
      this.#claiming = this.#holdAll().catch((error: unknown) => {
        [this.#id, this.#replaces] = [undefined, [...this.#replaces, id]];
        throw error;
      });
    }
    await this.#claiming;
  }

  /**
   * Makes all workers hold their calls. Repeats this until no new worker has joined meanwhile.
   *
   * The first worker is asked before the others: of two gateways that begin at once, one is refused before it holds any calls.
   *
   * @throws ApiError `weights_busy` if a worker takes part in the update of another gateway
   */
  async #holdAll(): Promise<void> {
    const target = this.#target;
    if (!target) return;
    const held = new Set<string>();
    for (;;) {
      await this.#read();
      const joined = this.#members.filter(
        ({ worker, update, interrupted }) => (interrupted || update?.id !== this.#id) && !held.has(worker.tag),
      );
      if (joined.length === 0) return;
      for (const { worker } of joined) held.add(worker.tag);
      const step = (member: WeightMember): Step => {
        return { step: "hold", target, replaces: [...this.#replaces], servers: spellFor(member, this.#drained) };
      };
      const [first, ...others] = joined.toSorted((a, b) => (a.worker.tag < b.worker.tag ? -1 : 1));
      await this.#onWorkers(step, PAUSE_TIMEOUT_MS, first ? [first] : []);
      await this.#onWorkers(step, PAUSE_TIMEOUT_MS, others);
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
        const reply = await callStep(this.#context, member.worker, this.#named(step(member)), options);
        if (!reply) member.worker.state = "down";
      }),
    );
    const refused = results.find((result) => result.status === "rejected");
    if (refused) throw this.#noteRefusal(refused.reason);
  }

  #noteRefusal(error: unknown): unknown {
    if (isBusy(error)) this.#isReplaced = true;
    return error;
  }

  #named(step: Step): Step {
    return { ...step, model: this.#model, update_id: this.#id ?? "" };
  }

  /** Takes a step on one server, by one of its workers. @throws StepError */
  async #onServer(url: string, step: Step, milliseconds: number | undefined, signal?: AbortSignal): Promise<StepReply> {
    const options = { headers: this.#headers, milliseconds, ...(signal ? { signal } : {}) };
    const tags = new Set<string>();
    for (;;) {
      const member = this.#members.find(({ worker, servers }) => servers.has(url) && !tags.has(worker.tag));
      if (!member) throw new StepError(unreachable(url));
      tags.add(member.worker.tag);
      const servers = spellFor(member, [url]);
      const named = this.#named({ ...step, servers });
      const reply = await callStep(this.#context, member.worker, named, options).catch((error: unknown) =>
        throwStepError(this.#noteRefusal(error)),
      );
      if (signal?.aborted) throw signal.reason;
      const [failure] = reply?.failures ?? [];
      if (failure) throw new StepError(failure);
      if (reply) return reply;
      member.worker.state = "down";
    }
  }
}

/** Returns the addresses of servers in a worker's own spelling, without those that it does not use. */
function spellFor({ servers }: WeightMember, urls: readonly string[]): string[] {
  return urls.flatMap((url) => servers.get(url)?.url ?? []);
}

const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === "weights_busy";

function unreachable(url: string): StepFailure {
  return { message: `No worker of ${url} answers.`, unchanged: false, unreachable: true };
}

function throwStepError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw new StepError({ message: error.message, unchanged: false, unreachable: false });
}
