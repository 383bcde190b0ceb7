import { ApiError } from "../../http/errors.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import type { TargetServer, UpdateTarget, WeightsCheck, WeightTargets } from "./weight-targets.js";
import { UpdateFailure, WeightUpdate } from "./weight-update.js";
import type { WeightsRecord } from "./weights-schemas.js";

export type UpdateOutcome = "succeeded" | "failed" | "given_up";

export interface UpdateObserver {
  began(record: WeightsRecord): void;
  /** @param error why it failed */
  ended(outcome: UpdateOutcome, record: WeightsRecord): void;
}

/** An update that a restart interrupted. */
export interface InterruptedUpdate {
  readonly target: UpdateTarget;
  readonly error: string;
  /** Another gateway may run it, so it is not replaced by another one before it was given up. */
  readonly mayRun?: boolean;
}

/** The states in which an update is doing something. */
const RUNNING: ReadonlySet<string> = new Set(["pausing", "loading", "resuming"]);

/**
 * Weight updates of one server or gateway, one at a time.
 *
 * An update goes on if its client disconnects. One that failed stays until it is repeated or given up, and holds model calls
 * meanwhile: tokens of servers with different weights must not get the same version.
 */
export class WeightUpdates {
  readonly #targets: WeightTargets;
  readonly #observer: UpdateObserver;
  /** The running, failed or last update. */
  #update: WeightUpdate | undefined;
  /** Settles when the running step of an update ends; never rejects. */
  #running: Promise<void> | undefined;
  /** Calls that change the state run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** Addresses of the servers that may sleep. One that a given-up update left asleep is woken before it loads again. */
  readonly #sleeping = new Set<string>();

  #started = 0;

  constructor(targets: WeightTargets, observer: UpdateObserver) {
    this.#targets = targets;
    this.#observer = observer;
  }

  /** Number of updates so far. */
  get started(): number {
    return this.#started;
  }

  /** True from the beginning of an update until calls go on. */
  get isActive(): boolean {
    return this.#update !== undefined && this.#update.state !== "idle";
  }

  get isRunning(): boolean {
    return this.#update !== undefined && RUNNING.has(this.#update.state);
  }

  async record(): Promise<WeightsRecord> {
    const { version } = this.#targets;
    if (this.#update && this.isActive) return this.#update.toRecord(version);
    const last = this.#update?.toRecord(version);
    const servers = await this.#targets.servers();
    return {
      state: "idle",
      version,
      target_version: null,
      mode: null,
      path: null,
      started_at: last?.started_at ?? null,
      paused_seconds: last?.paused_seconds ?? null,
      checked: last?.checked ?? null,
      not_checked: last?.not_checked ?? null,
      error: last?.error ?? null,
      servers: servers.map((server) => {
        const known = last?.servers.find(({ url }) => url === server.url);
        const state = known?.state === "excluded" && server.version !== version ? "excluded" : "loaded";
        return { url: server.url, version: server.version, state, seconds: known?.seconds ?? null, error: null };
      }),
    };
  }

  /**
   * Begins an update, or joins the same one if it is running. Returns once it runs; {@link settle} waits for it.
   *
   * @throws ApiError `weights_busy` if an update with another target is running or unfinished; `weights_incomplete` if the new
   *   weights lack tensors of the model, unless `allowPartial` is set
   */
  start(target: UpdateTarget, exclude: readonly string[], { allowPartial = false } = {}): Promise<void> {
    return this.#inTurn(async () => {
      this.#targets.check?.(target);
      const servers = await this.#targets.servers();
      const before = this.#update;
      const excluded = this.#spellExcluded(exclude, servers);
      const isSame = before !== undefined && sameTarget(before.target, target);
      if (before && (this.isRunning || before.state === "external")) {
        if (isSame && sameUrls(before.excluded, excluded)) return;
        throw busyError(before);
      }
      if (before?.state === "failed" && before.mayRun && !isSame) throw busyError(before);
      const isDone =
        isSame && before.state === "idle" && before.error === null && this.#targets.version === target.version;
      if (isDone && target.path !== null && servers.every((server) => hasTarget(server, target, excluded))) return;
      const check = await this.#compare(target, allowPartial);
      const failed = before?.state === "failed" ? before : undefined;
      const update = new WeightUpdate(this.#targets, {
        target,
        servers: failed ? mergeServers(servers, failed) : servers,
        excluded,
        leavePaused: failed ? failed.leavePaused : await this.#targets.isPaused(),
        check,
        startedAt: failed?.startedAt,
        clock: failed?.clock,
        sleeping: this.#sleeping,
      });
      this.#update = update;
      this.#started++;
      this.#observer.began(update.toRecord(this.#targets.version));
      this.#run(update, async () => {
        await pauseOrUndo(update, failed !== undefined);
        if (target.mode === "external") return void (update.state = "external");
        await update.load();
        await update.resume();
      });
    });
  }

  /**
   * Finishes an external update: wakes servers that sleep, loads their weights, flushes caches, sets the version, resumes.
   *
   * @param path the weights of servers that sleep, which have lost theirs
   * @throws ApiError `invalid_value` if there is no path although the servers sleep, or a path although they do not
   * @throws ApiError `no_weight_update` if there is no external update to finish
   */
  finish(
    version: number,
    exclude: readonly string[],
    { path, allowPartial = false }: { readonly path?: string | undefined; readonly allowPartial?: boolean } = {},
  ): Promise<void> {
    return this.#inTurn(async () => {
      const update = this.#update;
      if (update?.target.mode !== "external" || update.target.version !== version || update.state === "idle") {
        if (update?.state === "idle" && update.target.mode === "external" && this.#targets.version === version) return;
        throw this.#noUpdateError(version);
      }
      if (this.isRunning) {
        if (update.state === "pausing") throw busyError(update);
        return;
      }
      // A trainer must not push weights to a server that may still generate, so there is nothing to finish.
      if (!update.wasPaused) throw this.#noUpdateError(version);
      requirePath(update.target, path);
      if (path !== undefined) await this.#compare({ version, mode: "path", path }, allowPartial);
      const excluded = this.#spellExcluded(
        exclude,
        update.servers.map(({ target }) => target),
      );
      update.exclude(excluded);
      update.error = null;
      update.state = "loading";
      this.#run(update, async () => {
        if (excluded.length > 0) await this.#targets.drain(excluded);
        await update.finish(path);
        await update.resume();
      });
    });
  }

  /**
   * Gives up the update: servers with the previous version go on; if there are none, those with the new version. The others
   * are drained. If no server has known weights, all are drained, so calls fail until an update succeeds.
   *
   * @throws ApiError `weights_failed` if none of the servers that go on can be resumed
   */
  giveUp(): Promise<void> {
    this.#update?.cancel();
    return this.#inTurn(async () => {
      // An update may have begun while this call waited for its turn.
      this.#update?.cancel();
      await this.#running;
      const update = this.#update;
      if (!update || update.state === "idle") return;
      const keep = this.#chooseKept(update);
      update.state = "resuming";
      try {
        if (keep.version !== this.#targets.version) await this.#targets.commit(keep.version);
        const others = update.servers.filter(({ url }) => !keep.urls.includes(url));
        await this.#targets.drain(others.map(({ url }) => url));
        await update.wake(keep.urls);
        await this.#resumeKept(update, keep.urls);
        await update.end();
      } catch (error) {
        update.fail(error);
        throw await this.failedError(update.error ?? "");
      }
      for (const server of update.servers) if (!keep.urls.includes(server.url)) server.exclude(server.error);
      update.error = null;
      this.#observer.ended("given_up", await this.record());
    });
  }

  /** Waits until the update stops running, at most for this time. Returns false if it is still running. */
  async settle(seconds: number, signal: AbortSignal): Promise<boolean> {
    const running = this.#running;
    if (!running || !this.isRunning) return true;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(seconds * 1000))]);
    await untilAborted(running, seconds > 0 ? limit : AbortSignal.abort()).catch(() => undefined);
    return !this.isRunning;
  }

  /** Restores an update that a restart interrupted, as a failed one. */
  interrupt({ target, error, mayRun = false }: InterruptedUpdate, servers: readonly TargetServer[]): void {
    if (target.sleep) for (const { url } of servers) this.#sleeping.add(url);
    const options = { target, servers, excluded: [], leavePaused: false, sleeping: this.#sleeping };
    const update = new WeightUpdate(this.#targets, options);
    update.holdsCalls = true;
    update.mayRun = mayRun;
    update.clock.start();
    update.wasPaused = true;
    update.fail(error);
    this.#update = update;
  }

  /** Forgets a failed update, because a gateway has updated the weights since. */
  forget(): void {
    if (!this.isRunning) this.#update = undefined;
  }

  /** Returns the error of the last update, with the record. */
  async failedError(message: string): Promise<ApiError> {
    const cause = this.#update?.refusal;
    if (cause) return cause;
    const record = await this.record();
    const paused =
      record.state === "failed" ? " Model calls are held. Repeat the update, exclude a server or give up." : "";
    return new ApiError("weights_failed", `The weight update failed. ${message}${paused}`, {
      details: { weights: record },
    });
  }

  /** Says why calls are held and what to do; undefined if no update holds any. */
  describeHold(): string | undefined {
    const update = this.#update;
    return update && this.isActive && update.holdsCalls ? describeHold(update.target, update.state) : undefined;
  }

  /** @throws ApiError `weights_busy` while an update is active, for calls that would interfere with it */
  requireNone(): void {
    if (this.#update && this.isActive) throw busyError(this.#update);
  }

  async #compare(target: UpdateTarget, allowPartial: boolean): Promise<WeightsCheck | undefined> {
    if (target.path === null || !this.#targets.compare) return undefined;
    if (allowPartial) return { checked: false, reason: "`allow_partial` is set." };
    return await this.#targets.compare(target);
  }

  #run(update: WeightUpdate, task: () => Promise<void>): void {
    this.#running = task()
      .catch((error: unknown) => {
        if (error instanceof NotPausedError) {
          update.fail(error.cause);
          if (isRefusal(error.cause)) update.refusal = error.cause;
          update.state = "idle";
        } else update.fail(error);
      })
      .then(async () => {
        const failed = update.error !== null;
        if (!failed && update.state !== "idle") return;
        this.#observer.ended(failed ? "failed" : "succeeded", update.toRecord(this.#targets.version));
      });
  }

  #chooseKept({ servers, target }: WeightUpdate): { urls: string[]; version: number } {
    const having = (version: number) =>
      servers.filter((server) => server.takesPart && server.version === version).map(({ url }) => url);
    const { version } = this.#targets;
    const before = having(version);
    const after = having(target.version);
    return before.length > 0 || after.length === 0
      ? { urls: before, version }
      : { urls: after, version: target.version };
  }

  /** Resumes servers, and drains those that cannot be resumed. @throws UpdateFailure if none can */
  async #resumeKept({ leavePaused }: WeightUpdate, urls: readonly string[]): Promise<void> {
    if (leavePaused) return;
    const failures = await this.#targets.resume(urls);
    const [first] = failures;
    if (first && failures.size === urls.length) {
      throw new UpdateFailure(`No server could be resumed. First: ${first[0]}: ${first[1].message}`);
    }
    await this.#targets.drain([...failures.keys()]);
  }

  #spellExcluded(exclude: readonly string[], servers: readonly TargetServer[]): string[] {
    const urls = servers.map(({ url }) => url);
    // A server of a failed update may have disappeared with its worker. Then it takes no part anyway.
    const left = this.#update?.servers.map(({ url }) => url) ?? [];
    const excluded = this.#targets.spell(exclude, servers).filter((url) => urls.includes(url) || !left.includes(url));
    const unknown = excluded.find((url) => !urls.includes(url));
    if (unknown !== undefined) {
      const message = `\`exclude\` must name engine servers: ${urls.join(", ")}; received ${unknown.slice(0, 200)}.`;
      throw new ApiError("invalid_value", message, { param: "exclude" });
    }
    if (urls.every((url) => excluded.includes(url))) {
      throw new ApiError("invalid_value", "`exclude` must leave at least one engine server.", { param: "exclude" });
    }
    return excluded;
  }

  #noUpdateError(version: number): ApiError {
    const update = this.#update;
    const now =
      update && this.isActive
        ? `An update (${update.target.mode}) to version ${update.target.version} is ${update.state}.${
            update.wasPaused ? "" : " Not every server was paused: begin it again, exclude a server or give up."
          }`
        : "No update is in progress.";
    return new ApiError("no_weight_update", `No external update to version ${version} can be finished. ${now}`);
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** An update that failed before it held any call, so it is over. */
class NotPausedError extends Error {}

const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.code === "weights_busy";

/** Pauses. If this fails before calls are held, ends the update, unless an earlier attempt still holds calls. */
async function pauseOrUndo(update: WeightUpdate, isHeld: boolean): Promise<void> {
  try {
    await update.pause();
  } catch (error) {
    // Another update holds the calls of some worker. This one must let those of the others go on.
    if (isHeld || (update.holdsCalls && !isRefusal(error))) throw error;
    await update.end().catch(() => undefined);
    throw new NotPausedError("not paused", { cause: error });
  }
}

/** @throws ApiError unless there is a path exactly if the servers sleep */
function requirePath({ sleep = false }: UpdateTarget, path: string | undefined): void {
  if (sleep === (path !== undefined)) return;
  const message = sleep
    ? "`path` must be set, because the engine servers sleep and need weights to wake up with."
    : "`path` must be absent: the update began with `mode: external` and without `sleep`, so the caller pushes the weights.";
  throw new ApiError("invalid_value", message, { param: "path" });
}

/** Returns the servers, with the versions that a failed update knows. */
function mergeServers(servers: readonly TargetServer[], failed: WeightUpdate): TargetServer[] {
  return servers.map((server) => {
    const known = failed.servers.find(({ url }) => url === server.url);
    return known ? { ...known.target, draining: server.draining } : server;
  });
}

function hasTarget({ url, version, path }: TargetServer, target: UpdateTarget, excluded: readonly string[]): boolean {
  return excluded.includes(url) || (version === target.version && path === target.path);
}

function sameTarget(one: UpdateTarget, other: UpdateTarget): boolean {
  return (
    one.version === other.version &&
    one.mode === other.mode &&
    one.path === other.path &&
    one.name === other.name &&
    (one.sleep ?? false) === (other.sleep ?? false)
  );
}

function sameUrls(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((url) => other.includes(url));
}

/** Says that an update holds calls, and what ends it. */
export function describeHold({ version, mode }: UpdateTarget, state: string): string {
  const next =
    state === "failed"
      ? "Repeat it, exclude a server or give up."
      : mode === "external"
        ? "It ends with `POST /rl/weights/finish`, or `DELETE /rl/weights` to give up."
        : "`DELETE /rl/weights` gives it up.";
  return `A weight update to version ${version} (${state}) holds model calls; see \`GET /rl/weights\`. ${next}`;
}

function busyError({ target, state }: WeightUpdate): ApiError {
  const next =
    state === "external"
      ? "Finish it or give it up first."
      : state === "failed"
        ? "Repeat it or give it up first."
        : "Wait for its end.";
  return new ApiError(
    "weights_busy",
    `A weight update to version ${target.version} is in progress (${state}). ${next}`,
  );
}
