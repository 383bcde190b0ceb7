import type { ApiError } from "../../http/errors.js";
import { ServerProgress } from "./server-progress.js";
import {
  StepError,
  type TargetServer,
  type UpdateTarget,
  type WeightsCheck,
  type WeightTargets,
} from "./weight-targets.js";
import type { UpdateState, WeightsRecord } from "./weights-schemas.js";

/** An update that stopped at a step. Everything stays as it is then: calls are held and servers are paused. */
export class UpdateFailure extends Error {}

interface UpdateOptions {
  readonly target: UpdateTarget;
  readonly servers: readonly TargetServer[];
  readonly excluded: readonly string[];
  /** Calls stay held afterwards, because the engine was paused before the update. */
  readonly leavePaused: boolean;
  readonly check?: WeightsCheck | undefined;
  readonly startedAt?: number | undefined;
  /** The clock of the previous attempt, which also held calls. */
  readonly clock?: PauseClock | undefined;
  /** Addresses of the servers that may sleep, also because of earlier updates. */
  readonly sleeping: Set<string>;
}

/** One attempt to update the weights of all engine servers: pause, load, flush, set the version, resume. */
export class WeightUpdate {
  readonly target: UpdateTarget;
  readonly servers: readonly ServerProgress[];
  readonly leavePaused: boolean;
  /** Undefined if there was nothing to compare, or if a restart has interrupted the update. */
  readonly check: WeightsCheck | undefined;
  readonly startedAt: number;
  readonly clock: PauseClock;
  readonly #targets: WeightTargets;
  #giveUp = new AbortController();
  readonly #sleeping: Set<string>;
  /** True once every server was paused, or may have been before a restart: a trainer may push weights. */
  wasPaused = false;
  /** Calls may be held. False if the update failed before it changed anything. */
  holdsCalls = false;
  /** True if the update was found after a restart. Another gateway may run it. */
  mayRun = false;
  /** Why it did not begin, if another update was in its way. */
  refusal: ApiError | undefined;
  state: UpdateState = "pausing";
  error: string | null = null;

  constructor(
    targets: WeightTargets,
    { target, servers, excluded, leavePaused, check, startedAt, clock, sleeping }: UpdateOptions,
  ) {
    this.#targets = targets;
    this.#sleeping = sleeping;
    this.target = target;
    this.leavePaused = leavePaused;
    this.check = check;
    this.startedAt = startedAt ?? Date.now() / 1000;
    this.clock = clock ?? new PauseClock();
    this.servers = servers.map((server) => new ServerProgress(server));
    this.exclude(excluded);
    for (const server of this.#participants) {
      if (server.has(target.version, target.path)) server.loaded(target.version, target.path, null);
    }
  }

  get excluded(): string[] {
    return this.servers.filter(({ takesPart }) => !takesPart).map(({ url }) => url);
  }

  get #participants(): ServerProgress[] {
    return this.servers.filter(({ takesPart }) => takesPart);
  }

  exclude(urls: readonly string[]): void {
    for (const server of this.servers) if (urls.includes(server.url)) server.exclude();
  }

  /** Ends the wait for servers that load, or keeps all servers from loading if none has begun. The update then fails. */
  cancel(): void {
    this.#giveUp.abort(new Error("The update was given up."));
  }

  /** Prepares and pauses. @throws UpdateFailure */
  async pause(): Promise<void> {
    this.#giveUp = new AbortController();
    await this.#targets.begin(this.target);
    if (this.#targets.prepare) {
      this.state = "loading";
      await this.#targets.prepare(this.target, this.excluded);
    }
    this.state = "pausing";
    this.holdsCalls = true;
    this.clock.start();
    const failures = await this.#targets.pause(
      this.#participants.map(({ url }) => url),
      this.excluded,
    );
    for (const server of this.#participants) {
      const failure = failures.get(server.url);
      if (!failure) continue;
      // A server that is down may have other weights when it is up again.
      server.fail({ ...failure, unchanged: !failure.unreachable });
      if (server.draining && failure.unreachable) server.exclude(failure.message);
      this.#targets.note(server.target);
    }
    this.#requireAll("could not be paused");
    if (this.target.sleep) await this.#sleep();
    this.wasPaused = true;
  }

  /** Loads the weights from the path on all servers that do not have them. @throws UpdateFailure */
  async load(): Promise<void> {
    this.state = "loading";
    await this.#onEach(async (server, signal) => {
      await this.#wake(server.url, signal);
      await this.#targets.load(server.url, this.target, signal);
      // From here on, a failure leaves a server with new weights and old caches.
      await this.#finishServer(server, signal);
    });
    this.#requireAll("did not load the weights");
  }

  async #sleep(): Promise<void> {
    const { signal } = this.#giveUp;
    await Promise.all(
      this.#participants.map(async (server) => {
        try {
          this.#sleeping.add(server.url);
          if ((await this.#targets.sleep?.(server.url, signal)) === false) server.lost();
        } catch (error) {
          const failure = toFailure(error);
          if (failure.unchanged) this.#sleeping.delete(server.url);
          server.fail(failure);
        }
        this.#targets.note(server.target);
      }),
    );
    this.#requireAll("could not be put to sleep");
  }

  /** Wakes those of the servers that may sleep. @throws StepError */
  async wake(urls: readonly string[]): Promise<void> {
    const { signal } = new AbortController();
    await Promise.all(urls.map((url) => this.#wake(url, signal)));
  }

  async #wake(url: string, signal: AbortSignal): Promise<void> {
    if (!this.#sleeping.has(url)) return;
    try {
      await this.#targets.wake?.(url, signal);
    } catch (error) {
      // A server that ended is awake after its restart. An SGLang that does not sleep ends when it is woken.
      if (error instanceof StepError && error.failure.unreachable) this.#sleeping.delete(url);
      throw error;
    }
    this.#sleeping.delete(url);
  }

  /**
   * Flushes the caches of servers to which a trainer has pushed weights, or that wake up with new ones.
   *
   * @param path the weights of servers that sleep
   * @throws UpdateFailure
   */
  async finish(path?: string): Promise<void> {
    this.#giveUp = new AbortController();
    this.state = "loading";
    await this.#onEach(async (server, signal) => {
      await this.#wake(server.url, signal);
      if (path !== undefined) await this.#targets.load(server.url, { ...this.target, path }, signal);
      await this.#finishServer(server, signal);
    });
    this.#requireAll("could not be finished");
  }

  /** Makes the version current, resumes the servers and lets calls go on. @throws UpdateFailure */
  async resume(): Promise<void> {
    this.state = "resuming";
    await this.#targets.commit(this.target.version);
    if (!this.leavePaused) {
      const failures = await this.#targets.resume(this.#participants.map(({ url }) => url));
      for (const server of this.#participants) {
        const failure = failures.get(server.url);
        if (failure) server.fail({ ...failure, unchanged: !failure.unreachable });
      }
      this.#requireAll("could not be resumed");
    }
    await this.end();
  }

  /** Notes the end of the update and lets calls go on. */
  async end(): Promise<void> {
    await this.#targets.release(
      this.servers.map(({ target }) => target),
      this.leavePaused,
    );
    this.clock.stop();
    this.state = "idle";
  }

  fail(error: unknown): void {
    this.state = "failed";
    this.error = error instanceof Error ? error.message : String(error);
  }

  toRecord(version: number): WeightsRecord {
    const isIdle = this.state === "idle";
    const { mode, path, version: target } = this.target;
    return {
      state: this.state,
      version,
      target_version: isIdle ? null : target,
      mode: isIdle ? null : mode,
      path: isIdle ? null : path,
      started_at: this.startedAt,
      paused_seconds: this.clock.seconds,
      checked: this.check?.checked ?? null,
      not_checked: this.check?.reason ?? null,
      error: this.error,
      servers: this.servers.map((server) => server.toRecord()),
    };
  }

  async #finishServer(server: ServerProgress, signal: AbortSignal): Promise<void> {
    try {
      await this.#targets.finish(server.url, this.target.version, signal);
    } catch (error) {
      throw error instanceof StepError ? new StepError({ ...error.failure, unchanged: false }) : error;
    }
  }

  /** Runs a task on each server that does not have the weights yet. A failure on one server does not stop the others. */
  async #onEach(task: (server: ServerProgress, signal: AbortSignal) => Promise<void>): Promise<void> {
    const { version, path } = this.target;
    const { signal } = this.#giveUp;
    signal.throwIfAborted();
    const run = async (server: ServerProgress) => {
      const startedAt = performance.now();
      server.loading();
      this.#targets.note({ ...server.target, version: null, path: null });
      try {
        await task(server, signal);
        server.loaded(version, path, (performance.now() - startedAt) / 1000);
      } catch (error) {
        server.fail(toFailure(error));
      }
      this.#targets.note(server.target);
    };
    await Promise.all(this.#participants.filter(({ state }) => state !== "loaded").map(run));
  }

  #requireAll(problem: string): void {
    const failed = this.servers.filter(({ state }) => state === "failed");
    const [first] = failed;
    if (!first) return;
    const count = failed.length === 1 ? "1 server" : `${failed.length} servers`;
    throw new UpdateFailure(`${count} of ${this.servers.length} ${problem}. First: ${first.url}: ${first.error ?? ""}`);
  }
}

function toFailure(error: unknown): { message: string; unchanged: boolean; unreachable: boolean } {
  if (error instanceof StepError) return error.failure;
  const message = error instanceof Error ? error.message : String(error);
  return { message, unchanged: false, unreachable: false };
}

/** Measures how long an update holds model calls, over all attempts. */
export class PauseClock {
  readonly #now: () => number;
  #milliseconds = 0;
  #startedAt: number | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get seconds(): number {
    const running = this.#startedAt === undefined ? 0 : this.#now() - this.#startedAt;
    return (this.#milliseconds + running) / 1000;
  }

  start(): void {
    this.#startedAt ??= this.#now();
  }

  stop(): void {
    this.#milliseconds = this.seconds * 1000;
    this.#startedAt = undefined;
  }
}
