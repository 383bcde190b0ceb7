import type { CallOptions } from "../../client/proxy-calls.js";
import type { Config } from "../../config/index.js";
import { WaitQueue } from "../../support/async/wait-queue.js";
import type { RolloutEngine, RolloutWorkflow } from "../contract.js";
import { runWorkflow } from "../episode-result.js";
import { Rejection, type RejectionCode } from "../rejection.js";
import { AcceptedTasks } from "./accepted-tasks.js";
import { AnnouncedVersion } from "./announced-version.js";
import { controllerOptions } from "./configured.js";
import type { ConfiguredOptions, ControllerOptions } from "./controller-options.js";
import { ControllerError } from "./errors.js";
import { RolloutBatch } from "./rollout-batch.js";
import { assertLimits, StalenessControl } from "./staleness.js";
import type { RejectionCounts, TaskResult } from "./task.js";

export interface SubmitOptions {
  /** Session ids begin with it. Default `task-<index>`. */
  readonly taskId?: string | undefined;
  /** Default: the task's id. */
  readonly groupId?: string | undefined;
}

/** Tasks are counted whole; `rejectedEpisodes` counts episodes, those of incomplete groups too. */
export interface RolloutCounts {
  readonly submitted: number;
  readonly waiting: number;
  readonly running: number;
  /** With those that were consumed before a restart. */
  readonly accepted: number;
  /** Gave no trajectory at all. */
  readonly rejected: number;
  /** Accepted with some of their members rejected. */
  readonly incomplete: number;
  readonly rejectedEpisodes: RejectionCounts;
}

/**
 * Brings new weights to the engine. Where the engine does not report the version of its tokens, `announce` tells the proxy
 * between the last token of the old weights and the first of the new: while the engine is paused. Else it need not be
 * called.
 */
export type WeightUpdate = (announce: () => Promise<void>) => Promise<void>;

interface Task<Data> {
  readonly index: number;
  readonly data: Data;
  readonly taskId: string;
  readonly groupId: string;
}

/**
 * Runs tasks for a trainer: starts them as staleness control allows, in the order in which they were submitted, and hands
 * out what was accepted in batches. An episode asks the proxy for its slot itself, as its first step.
 */
export class RolloutController<Data = unknown> {
  readonly #workflow: RolloutWorkflow<Data>;
  readonly #engine: RolloutEngine;
  readonly #options: ControllerOptions<Data>;
  readonly #staleness: StalenessControl;
  readonly #announced: AnnouncedVersion;
  readonly #accepted: AcceptedTasks<Data>;
  readonly #queue: Task<Data>[] = [];
  /** Callers of {@link waitBatch}. Undefined tells them that no batch follows. */
  readonly #waiters = new WaitQueue<RolloutBatch<Data> | undefined>();
  readonly #stopping = new AbortController();
  readonly #rejectedEpisodes = new Map<RejectionCode, number>();
  readonly #ended = new Set<Promise<void>>();
  #submitted = 0;
  #incomplete = 0;
  #paused = false;
  #updates = 0;
  #complete = false;

  /** @throws ControllerError `invalid_option` */
  constructor(
    workflow: RolloutWorkflow<Data>,
    engine: RolloutEngine,
    given: ControllerOptions<Data> | ConfiguredOptions<Data> | Config,
  ) {
    const options = controllerOptions(given);
    assertLimits(options);
    this.#workflow = workflow;
    this.#engine = engine;
    this.#options = options;
    this.#staleness = new StalenessControl(options, options.version);
    this.#announced = new AnnouncedVersion(engine, options.version);
    this.#accepted = new AcceptedTasks(options.batchOrder ?? "completion");
  }

  get version(): number {
    return this.#staleness.version;
  }

  get counts(): RolloutCounts {
    const { running, accepted, rejected } = this.#staleness;
    return {
      submitted: this.#submitted,
      waiting: this.#queue.length,
      running,
      accepted,
      rejected,
      incomplete: this.#incomplete,
      rejectedEpisodes: new Map(this.#rejectedEpisodes),
    };
  }

  /** Queues a task; answers its index. */
  submit(data: Data, options: SubmitOptions = {}): number {
    if (this.#complete) throw new ControllerError("no_more_tasks", "The controller takes no more tasks.");
    const index = this.#submitted++;
    const taskId = options.taskId ?? `task-${index}`;
    this.#queue.push({ index, data, taskId, groupId: options.groupId ?? taskId });
    this.#proceed();
    // Where the proxy cannot be told, who waits for a batch hears it.
    this.#settleVersion().catch(() => {});
    return index;
  }

  /** No task comes any more: the last batch may be smaller, and after it there is none. */
  finish(): void {
    this.#complete = true;
    this.#proceed();
  }

  /**
   * The next `consumerBatchSize` accepted tasks. Undefined after the last. Tasks of a later version may have to be allowed
   * by {@link setVersion} first. A signal gives the waiting up, not the tasks. Rejects where the proxy cannot be told from
   * which version training goes on.
   */
  async waitBatch(signal?: AbortSignal): Promise<RolloutBatch<Data> | undefined> {
    if (!this.#announced.settled) await this.#settleVersion();
    const batch = this.#waiters.wait(signal);
    this.#proceed();
    return batch;
  }

  /** No session of a batch exists any more: its tasks count as rejected, and others may start in their place. */
  lose(batch: RolloutBatch<Data>): void {
    this.#staleness.lose(batch.tasks.length);
    this.#proceed();
  }

  /** Starts no further tasks; those that run go on. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#proceed();
  }

  /**
   * The trainer has new weights. No task starts while `update` brings them to the engine and the proxy hears of the
   * version; generations in flight are the engine's to cut and the proxy's to resume. Where it fails, the version that
   * stood before stands.
   */
  async setVersion(version: number, update?: WeightUpdate, options: CallOptions = {}): Promise<void> {
    this.#staleness.assertNext(version);
    this.#updates++;
    let announced = false;
    const announce = async () => {
      announced = true;
      await this.#announced.tell(version, options);
    };
    try {
      await update?.(announce);
      if (!announced) await announce();
      this.#staleness.setVersion(version);
    } catch (error) {
      // What cannot be told now is what broke the update, most likely.
      if (announced) await this.#announced.tell(this.version).catch(() => {});
      throw error;
    } finally {
      this.#updates--;
      this.#proceed();
    }
  }

  /**
   * Gives up the tasks that run and forgets those that wait; what was accepted can still be taken as batches. Resolves
   * when every episode has ended.
   */
  async stop(): Promise<void> {
    this.#complete = true;
    this.#queue.length = 0;
    this.#stopping.abort(new Rejection("episode_aborted", "The rollout was stopped."));
    await Promise.all(this.#ended);
    this.#proceed();
  }

  async #settleVersion(): Promise<void> {
    if (this.#announced.settled) return;
    await this.#announced.settle();
    this.#proceed();
  }

  get #held(): boolean {
    return this.#paused || this.#updates > 0 || !this.#announced.settled;
  }

  /** Starts what may start, hands out what is complete. */
  #proceed(): void {
    while (this.#queue.length > 0 && !this.#held && this.#staleness.freeSlots > 0) {
      const task = this.#queue.shift();
      if (task) this.#start(task);
    }
    const last = this.#complete && this.#queue.length === 0 && this.#staleness.running === 0;
    while (this.#waiters.length > 0) {
      const { consumerBatchSize: count, maxStaleness } = this.#options;
      const tasks = this.#accepted.take({ count, last, dueVersion: this.version - maxStaleness });
      if (tasks === undefined) return;
      this.#waiters.serve(tasks.length > 0 ? this.#batchOf(tasks) : undefined);
    }
  }

  #start(task: Task<Data>): void {
    this.#staleness.start();
    this.#accepted.start(task.index, this.version);
    const ended = this.#run(task).finally(() => this.#ended.delete(ended));
    this.#ended.add(ended);
  }

  async #run({ index, data, taskId, groupId }: Task<Data>): Promise<void> {
    const { version } = this;
    const options = { signal: this.#stopping.signal, taskId, groupId, export: "deferred" } as const;
    const result = await runWorkflow(this.#workflow, this.#engine, data, options);
    this.#collect({ ...result, index, taskId, data, version });
  }

  #collect(result: TaskResult<Data>): void {
    const accepted = result.accepted.length > 0;
    this.#staleness.end(accepted ? "accepted" : "rejected");
    if (accepted && result.rejected.length > 0) this.#incomplete++;
    for (const { reason } of result.rejected) {
      this.#rejectedEpisodes.set(reason.code, (this.#rejectedEpisodes.get(reason.code) ?? 0) + 1);
    }
    this.#accepted.end(result.index, accepted ? result : undefined);
    this.#proceed();
    this.#options.onResult?.(result);
  }

  #batchOf(tasks: readonly TaskResult<Data>[]): RolloutBatch<Data> {
    return new RolloutBatch(tasks, this.version, this.#engine, this.#options.exportFields ?? {});
  }
}
