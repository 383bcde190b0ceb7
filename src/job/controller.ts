import { setMaxListeners } from "node:events";
import type { CallOptions } from "../client/proxy-calls.js";
import type { WeightsOptions } from "../client/weight-calls.js";
import type { Config } from "../config/index.js";
import type { EpisodeResult, RolloutEngine, RolloutWorkflow } from "../rollout/contract.js";
import { fromWire, toWire } from "../rollout/lease/wire-result.js";
import { Rejection, type RejectionCode } from "../rollout/rejection.js";
import { WaitQueue } from "../support/async/wait-queue.js";
import { AnnouncedVersion } from "./announced-version.js";
import type { ConfiguredOptions, ControllerOptions } from "./controller-options.js";
import { ControllerError } from "./errors.js";
import { type ClaimedTask, type JobChange, JobStore, type Last, OWN_WORKER } from "./job-store.js";
import { assertLimits, assertWhole } from "./planning.js";
import type { EndedTask, JobCounts, StoredTask } from "./queries.js";
import { resolveControllerOptions } from "./resolve-controller-options.js";
import { RolloutBatch } from "./rollout-batch.js";
import { SqliteDatabase } from "./sqlite.js";
import type { RejectionCounts, TaskResult } from "./task.js";
import { type TaskRunner, WorkflowRunner } from "./task-runner.js";

export interface SubmitOptions {
  /** Prefix of the session ids. Default `task-<index>`. */
  readonly taskId?: string | undefined;
  /** Default: the task's id. */
  readonly groupId?: string | undefined;
}

/** Counts of tasks, except that `rejectedEpisodes` counts episodes, including those of incomplete groups. */
export interface RolloutCounts {
  readonly submitted: number;
  readonly waiting: number;
  readonly running: number;
  /** Accepted tasks, including those consumed before a restart. */
  readonly accepted: number;
  /** Tasks that gave no trajectory. */
  readonly rejected: number;
  /** Accepted tasks of which some members were rejected. */
  readonly incomplete: number;
  readonly rejectedEpisodes: RejectionCounts;
}

/**
 * Loads new weights into the engine.
 *
 * If the engine does not report the version of its tokens, call `announce` while the engine is paused: between the last
 * token of the old weights and the first token of the new ones. Otherwise it need not be called.
 */
export type LoadWeights = (announce: () => Promise<void>) => Promise<void>;

/** Weights that the proxy loads in all engine servers, with `POST /rl/weights`. */
export interface WeightsPath extends Pick<WeightsOptions, "exclude" | "onProgress"> {
  /** As the engine sees it. */
  readonly path: string;
}

interface Task<Data> {
  readonly index: number;
  readonly data: Data;
  readonly taskId: string;
  readonly groupId: string;
}

/** Where the state of a controller's tasks is, and who runs them. */
export interface ControllerJob {
  readonly store: JobStore;
  /** Tells that tasks wait, if rollout workers run them. */
  readonly onQueued?: (() => void) | undefined;
  /** True if another process can go on with the job: it then runs the tasks again that were cut. */
  readonly isResumable: boolean;
}

const LOST = "The sessions of this task were lost with their proxy.";

/**
 * Runs tasks for a trainer. It starts them in the order in which they were submitted, as the limits on staleness allow,
 * and returns the accepted ones in batches. Each episode grants its own capacity, as its first step.
 */
export class RolloutController<Data = unknown> {
  readonly #runner: TaskRunner<Data> | undefined;
  readonly #engine: RolloutEngine;
  readonly #options: ControllerOptions<Data>;
  readonly #announced: AnnouncedVersion;
  readonly #store: Promise<JobStore>;
  readonly #job: Omit<ControllerJob, "store">;
  readonly #tasks: Task<Data>[] = [];
  /** Callers of {@link waitBatch}. They receive undefined if no batch follows. */
  readonly #waiters = new WaitQueue<() => RolloutBatch<Data> | undefined>();
  readonly #stopping = new AbortController();
  readonly #rejectedEpisodes = new Map<RejectionCode, number>();
  readonly #running = new Set<Promise<void>>();
  /** Results of tasks that ran here and are not stored yet, with the errors that agents threw. */
  readonly #results = new Map<number, EpisodeResult>();
  #counts: JobCounts;
  /** Number of tasks that the store knows. */
  #stored = 0;
  /** Number of running tasks that {@link stop} has ended. */
  #aborted = 0;
  #incomplete = 0;
  #paused = false;
  #updates = 0;
  #complete = false;
  #advancing = false;
  #mustAdvance = false;
  #failure: Error | undefined;

  /**
   * @param workflow runs each task in this process; undefined if rollout workers run them
   * @param job the state of its tasks. Default: in memory
   * @throws ControllerError `invalid_option`
   */
  constructor(
    workflow: RolloutWorkflow<Data> | TaskRunner<Data> | undefined,
    engine: RolloutEngine,
    input: ControllerOptions<Data> | ConfiguredOptions<Data> | Config,
    job?: ControllerJob,
  ) {
    const options = resolveControllerOptions(input);
    assertLimits(options);
    const { version = 0 } = options;
    assertWhole("version", version, 0);
    this.#runner = workflow && ("runTask" in workflow ? workflow : new WorkflowRunner(workflow, engine));
    this.#engine = engine;
    this.#options = options;
    // Each task listens, which is no leak.
    setMaxListeners(Number.POSITIVE_INFINITY, this.#stopping.signal);
    this.#announced = new AnnouncedVersion(engine, options.version);
    const accepted = version * options.consumerBatchSize;
    this.#counts = { ...NO_TASKS, version, accepted, earlier: accepted };
    this.#job = job ?? { isResumable: false };
    this.#store = job ? Promise.resolve(job.store) : this.#openInMemory(version, options.consumerBatchSize);
    this.#store.catch((error: Error) => this.#fail(error));
  }

  get version(): number {
    return this.#counts.version;
  }

  get counts(): RolloutCounts {
    const { waiting, queued, leased, accepted, rejected } = this.#counts;
    const isStopped = this.#stopping.signal.aborted;
    return {
      submitted: this.#tasks.length,
      waiting: isStopped ? 0 : waiting + this.#tasks.length - this.#stored,
      running: isStopped ? 0 : queued + leased,
      accepted,
      rejected: rejected + this.#aborted,
      incomplete: this.#incomplete,
      rejectedEpisodes: new Map(this.#rejectedEpisodes),
    };
  }

  /** Queues a task. Returns its index. */
  submit(data: Data, options: SubmitOptions = {}): number {
    if (this.#complete) {
      throw new ControllerError("no_more_tasks", "The controller accepts no more tasks after finish() or stop().");
    }
    const index = this.#tasks.length;
    const taskId = options.taskId ?? `task-${index}`;
    this.#tasks.push({ index, data, taskId, groupId: options.groupId ?? taskId });
    this.#proceed();
    // If this fails, waitBatch tries again and reports the error.
    this.#settleVersion().catch(() => {});
    return index;
  }

  /**
   * Runs tasks of a batch again whose sessions were lost, and keeps the others for the next batch. The caller waits for that batch
   * instead. The other sessions of these tasks are deleted.
   */
  async rerun(batch: RolloutBatch<Data>, lostSessions: ReadonlySet<string>, reason: string): Promise<void> {
    const lost = new Map<number, string[]>();
    for (const { index, accepted } of batch.tasks) {
      const kept = accepted.flatMap(({ sessionId }) => (lostSessions.has(sessionId) ? [] : [sessionId]));
      if (kept.length < accepted.length) lost.set(index, kept);
    }
    const store = await this.#store;
    await store.rerun(
      batch.tasks.map(({ index }) => index),
      lost,
      reason,
    );
    this.#proceed();
  }

  /** Declares that no more tasks follow. The last batch may be smaller. */
  finish(): void {
    this.#complete = true;
    this.#proceed();
  }

  /**
   * Waits for the next `consumerBatchSize` accepted tasks. Returns undefined after the last batch.
   *
   * Later tasks may start only after {@link setVersion}. The signal ends the wait, not the tasks. Rejects if the
   * initial version cannot be announced to the proxy, or the state of the tasks cannot be stored.
   */
  async waitBatch(signal?: AbortSignal): Promise<RolloutBatch<Data> | undefined> {
    if (this.#failure) throw this.#failure;
    if (!this.#announced.settled) await this.#settleVersion();
    const waiting = this.#waiters.wait(signal);
    this.#proceed();
    return (await waiting)();
  }

  /**
   * Rejects the tasks of a batch that cannot be written, so that others may start instead.
   *
   * @param reason Default: their sessions were lost
   */
  lose(batch: RolloutBatch<Data>, reason = new Rejection("worker_lost", LOST)): void {
    this.#write((store) =>
      store.reject(
        batch.tasks.map(({ index }) => index),
        reason,
      ),
    );
  }

  /**
   * Notes that the trainer took a batch and raises the version by `versions`. Call it before {@link setVersion} if that
   * is not 1: with 0, for example, if the trainer collects gradients over several batches.
   */
  noteStep(versions: number): void {
    // Without this, the limit would stall while the version stays the same, and run far ahead of the trainer when it jumps.
    this.#write((store) => store.addExtra((1 - versions) * this.#options.consumerBatchSize));
  }

  /** Starts no more tasks. Running tasks go on. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#proceed();
  }

  /**
   * Sets a new weight version. With a path, the proxy loads the weights in all engine servers. Otherwise `update` loads them
   * into the engine, and the version is announced to the proxy.
   *
   * No task starts meanwhile. The engine may cut generations in flight, which the proxy then resumes. If this fails,
   * the earlier version stays in effect.
   */
  async setVersion(version: number, update?: LoadWeights | WeightsPath, options: CallOptions = {}): Promise<void> {
    this.#assertNext(version);
    this.#updates++;
    let announced = false;
    const announce = async () => {
      announced = true;
      await this.#announced.announce(version, options);
    };
    try {
      if (typeof update === "object")
        await this.#announced.load({ version, path: update.path }, { ...update, ...options });
      else {
        await update?.(announce);
        if (!announced) await announce();
      }
      await (await this.#store).setVersion(version);
      this.#counts = { ...this.#counts, version };
    } catch (error) {
      // If this fails too, it most likely has the same cause. The error of the update is thrown.
      if (announced) await this.#announced.announce(this.version).catch(() => {});
      throw error;
    } finally {
      this.#updates--;
      this.#proceed();
    }
  }

  /**
   * Aborts running tasks and drops waiting ones. Accepted tasks can still be taken as batches. Resolves when every
   * episode has ended. Rejects, as {@link waitBatch} does, if the state of the tasks cannot be stored.
   */
  async stop(): Promise<void> {
    this.#complete = true;
    const reason = new Rejection("episode_aborted", "The rollout was stopped.");
    this.#stopping.abort(reason);
    await Promise.all(this.#running);
    const store = await this.#store;
    const stopped = await store.stop().catch((error: Error) => {
      this.#fail(error);
      throw error;
    });
    for (const task of stopped) {
      this.#aborted++;
      const aborted = { accepted: [], rejected: [{ groupId: task.groupId, reason }] };
      this.#collect(task, this.#results.get(task.index) ?? aborted);
    }
    this.#results.clear();
    this.#proceed();
  }

  /** Acts on what the store has changed. */
  noteChange({ ended }: Pick<JobChange, "ended">): void {
    for (const task of ended) {
      this.#collect(task, this.#results.get(task.index) ?? fromWire(task.result));
      this.#results.delete(task.index);
    }
    this.#proceed();
  }

  async #settleVersion(): Promise<void> {
    if (this.#announced.settled) return;
    await this.#announced.settle();
    this.#proceed();
  }

  /** True if no task may start now. */
  get #blocked(): boolean {
    return this.#paused || this.#updates > 0 || !this.#announced.settled || this.#stopping.signal.aborted;
  }

  /** Nobody else works on a job in memory, so nothing in it expires. */
  async #openInMemory(version: number, batchSize: number): Promise<JobStore> {
    const store = await JobStore.open(new SqliteDatabase(), {
      digest: "",
      version,
      firstBatch: 0,
      batchSize,
      leaseMilliseconds: Number.MAX_SAFE_INTEGER,
      maxAttempts: Number.MAX_SAFE_INTEGER,
      keepsRejected: true,
      resume: false,
    });
    await store.begin((change) => this.noteChange(change));
    return store;
  }

  #write(work: (store: JobStore) => Promise<unknown>): void {
    this.#store.then(work).then(
      () => this.#proceed(),
      (error: Error) => this.#fail(error),
    );
  }

  /** Starts tasks that may start, and returns batches that are complete. */
  #proceed(): void {
    this.#mustAdvance = true;
    if (this.#advancing) return;
    this.#advancing = true;
    void this.#advanceAll().catch((error: Error) => this.#fail(error));
  }

  async #advanceAll(): Promise<void> {
    try {
      const store = await this.#store;
      while (this.#mustAdvance) {
        this.#mustAdvance = false;
        const added = this.#tasks.slice(this.#stored);
        const limits = this.#options;
        const { batchOrder: order = "completion" } = limits;
        const { counts, admitted, batch } = await store.advance({
          added,
          limits: this.#blocked ? undefined : limits,
          wanted: this.#waiters.length > 0 ? { order, limits, last: this.#last } : undefined,
        });
        this.#stored += added.length;
        this.#counts = counts;
        if (this.#runner) await this.#startQueued(store, this.#runner);
        else if (admitted > 0) this.#job.onQueued?.();
        if (batch === undefined) continue;
        const created = batch.length > 0 ? this.#createBatch(batch, store.isResumed) : undefined;
        // The one who waited may have given up meanwhile.
        if (!this.#waiters.serve(() => created)) await store.putBack(batch.map(({ index }) => index));
        this.#mustAdvance = true;
      }
    } finally {
      // At once: a call of `#proceed` after the loop must find it ended.
      this.#advancing = false;
    }
  }

  /** Which tasks must have ended before the last batch, which may be smaller. */
  get #last(): Last | undefined {
    if (this.#stopping.signal.aborted) return "started";
    return this.#complete ? "all" : undefined;
  }

  async #startQueued(store: JobStore, runner: TaskRunner<Data>): Promise<void> {
    if (this.#counts.queued === 0 || this.#stopping.signal.aborted) return;
    const unlimited = Number.POSITIVE_INFINITY;
    const all = { count: unlimited, maxHeld: unlimited, workers: 1, canResume: runner.canResume };
    for (const task of await store.claim({ worker: OWN_WORKER, ...all })) {
      const ended: Promise<void> = this.#run(store, runner, task)
        .catch((error: Error) => this.#fail(error))
        .finally(() => this.#running.delete(ended));
      this.#running.add(ended);
    }
  }

  async #run(store: JobStore, runner: TaskRunner<Data>, { leaseId, attempt, ...task }: ClaimedTask): Promise<void> {
    const { signal } = this.#stopping;
    const { data } = this.#task(task.index);
    const result = await runner.runTask({ ...task, data, leaseId }, signal);
    this.#results.set(task.index, result);
    // A task that was cut runs again when the job goes on.
    if (signal.aborted && (result.accepted.length === 0 || (this.#job.isResumable && isCut(result)))) return;
    await store.update([], [{ lease_id: leaseId, task: task.index, attempt, result: toWire(result) }]);
  }

  #collect(task: StoredTask, { accepted, rejected }: EpisodeResult): void {
    if (accepted.length > 0 && rejected.length > 0) this.#incomplete++;
    for (const { reason } of rejected)
      this.#rejectedEpisodes.set(reason.code, (this.#rejectedEpisodes.get(reason.code) ?? 0) + 1);
    this.#options.onResult?.(this.#toResult(task, { accepted, rejected }));
  }

  #createBatch(tasks: readonly EndedTask[], isResumed: boolean): RolloutBatch<Data> {
    const { url } = this.#engine;
    const results = tasks.map((task) => {
      const { accepted, rejected } = fromWire(task.result);
      // After a restart, the proxy may have another address.
      return this.#toResult(task, {
        accepted: isResumed ? accepted.map((each) => ({ ...each, url })) : accepted,
        rejected,
      });
    });
    return new RolloutBatch(results, this.version, this.#engine, this.#options.exportFields ?? {});
  }

  #toResult({ index, taskId, version }: StoredTask, { accepted, rejected }: EpisodeResult): TaskResult<Data> {
    return { index, taskId, data: this.#task(index).data, version, accepted, rejected };
  }

  #task(index: number): Task<Data> {
    const task = this.#tasks[index];
    if (!task) throw new Error(`Task ${index} was not submitted.`);
    return task;
  }

  /** @throws ControllerError if the version is lower than the current one */
  #assertNext(version: number): void {
    assertWhole("version", version, 0);
    if (version >= this.version) return;
    const message = `version must be at least the current version ${this.version}; received ${version}.`;
    throw new ControllerError("version_went_back", message);
  }

  /** The state of the tasks cannot be stored or read: nothing can go on. */
  #fail(error: Error): void {
    this.#failure ??= error;
    this.#stopping.abort(new Rejection("episode_aborted", error.message, { cause: error }));
    while (
      this.#waiters.serve(() => {
        throw error;
      })
    );
  }
}

/** True if some episodes of a group were aborted with the job. */
function isCut({ rejected }: EpisodeResult): boolean {
  return rejected.some(({ reason }) => reason.code === "episode_aborted");
}

const NO_TASKS = { submitted: 0, waiting: 0, queued: 0, leased: 0, rejected: 0, lost: 0 };
