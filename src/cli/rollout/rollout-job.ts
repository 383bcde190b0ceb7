import type { ArrivingBatch, BatchFields } from "../../client/admin-client.js";
import { toFilterFields } from "../../client/export-filters.js";
import { RolloutController } from "../../job/controller.js";
import type { EarlierWork, JobChange } from "../../job/job-store.js";
import type { RolloutBatch } from "../../job/rollout-batch.js";
import type { CompleteBatchRow } from "../../job/schema.js";
import type { TaskResult } from "../../job/task.js";
import { readExportFilters } from "../../rollout/configured-filters.js";
import { fromWire } from "../../rollout/lease/wire-result.js";
import { isProxyAbsent } from "../../rollout/proxy-loss.js";
import { watchProxy } from "../../rollout/proxy-watch.js";
import { Rejection } from "../../rollout/rejection.js";
import { BatchWriteError } from "./batch-file.js";
import { BatchFiles } from "./batch-files.js";
import { BatchTrainer } from "./batch-trainer.js";
import type { SavedBatch } from "./batch-writer.js";
import { createBatchWriter, describeUnexported, describeUnwritten } from "./create-batch-writer.js";
import { RolloutErrorLog } from "./error-log.js";
import { RolloutJobError } from "./errors.js";
import { filterGroups, readGroupFilter } from "./group-filter.js";
import { JOB_EXPORT } from "./job-export.js";
import { type JobSetup, readStartVersion } from "./job-setup.js";
import { JobMetrics, type MeasuredBatch } from "./metrics/job-metrics.js";
import { locateStore } from "./open-store.js";
import { PartialBatch } from "./partial-batch.js";
import { PersistentTrainer } from "./persistent-trainer.js";
import type { StoppableJob } from "./process-watch.js";
import { RolloutProgress } from "./progress.js";
import { type BatchContent, receiveBatch } from "./receive-batch.js";
import { archiveBatch, finishBatches } from "./restore-job.js";
import { type NumberedFile, SessionsFiles } from "./sessions-files.js";
import { BatchExportError, exportSurvivors, type Survivors, type SurvivorsOptions } from "./survivors.js";
import { RolloutTally } from "./tally.js";
import { type Trainer, type TrainingResult, trainerFailed } from "./trainer.js";

type ExportedBatch = Survivors<BatchContent>;

/** Maximum number of times that one call waits for the proxy. */
const MAX_OUTAGES = 5;
/** Maximum seconds for which a job that was stopped waits for a proxy that does not answer. */
const STOPPED_WAIT_SECONDS = 10;

/** Maximum number of concurrent tasks if the configuration sets none. */
const DEFAULT_CONCURRENT_TASKS = 64;

export interface JobOutcome {
  readonly tally: RolloutTally;
  readonly batches: BatchFiles;
  readonly sessionsFiles: SessionsFiles;
  /** Number of tokens that the engine sampled. */
  readonly sampledTokens: number;
  /** Where the errors of rejected episodes are; undefined if no episode was rejected. */
  readonly errors: string | undefined;
  readonly interrupted: boolean;
  /**
   * Why the job stopped early, if not by its user: the trainer failed, an error was not caught, or a batch was not
   * exported or is not in its file.
   */
  readonly failure: Error | undefined;
}

/** One job: runs every task, writes the accepted ones as batches, and runs the trainer on each batch. */
export class RolloutJob implements StoppableJob {
  readonly #job: JobSetup;
  readonly #controller: RolloutController;
  readonly #tally = new RolloutTally();
  readonly #written: Pick<JobOutcome, "batches" | "sessionsFiles">;
  readonly #errors: RolloutErrorLog;
  readonly #metrics: JobMetrics;
  readonly #stopping = new AbortController();
  readonly #trainer: Trainer | undefined;
  /** Number of batches that the trainer has consumed. */
  #steps = 0;
  #interrupted = false;
  /** True when everything is written and nothing can be stopped any more. */
  #over = false;
  #failure: Error | undefined;

  constructor(job: JobSetup) {
    const { max_staleness, max_concurrent_rollouts, consumer_batch_size } = job.config.rollout;
    const { trainer, out } = job.options;
    const { store, leases } = job;
    const isResumable = locateStore(job.config, job.options) !== undefined;
    const nextBatch = store.isResumed ? store.opened.next_batch : 0;
    const count = job.tasks.length;
    const consumerBatchSize = consumer_batch_size ?? count;
    this.#job = job;
    const batches = new BatchFiles(
      createBatchWriter(job, this.#stopping.signal, (message) => this.#tell(message)),
      out,
      // A job that goes on must not overwrite the only batch of the process before it.
      consumer_batch_size === null && nextBatch === 0 ? undefined : store.opened.next_batch,
    );
    this.#written = { batches, sessionsFiles: new SessionsFiles(job.options, job.proxy.admin) };
    this.#errors = new RolloutErrorLog(out);
    this.#metrics = new JobMetrics({ ...job, tally: this.#tally });
    const onQueued = leases && (() => leases.wake());
    const limits = {
      maxConcurrentRollouts: max_concurrent_rollouts ?? Math.min(DEFAULT_CONCURRENT_TASKS, count),
      // Without a trainer there are no later versions: nothing becomes stale.
      maxStaleness: trainer === undefined ? Math.ceil(count / consumerBatchSize) : max_staleness,
      consumerBatchSize,
    };
    const onResult = (result: TaskResult) => this.#note(result);
    const controlled = { ...limits, version: readStartVersion(job), onResult };
    this.#controller = new RolloutController(job.workflow, job.proxy, controlled, { store, onQueued, isResumable });
    this.#trainer = createTrainer(job, (error) => {
      // The job stops for another reason, so the trainer's failure while it is stopped is not reported.
      if (!this.#stopping.signal.aborted) this.fail(error);
    });
  }

  /**
   * Runs the job to its end, or until a signal, a failed trainer, a batch that cannot be written or an uncaught error
   * stops it. Tasks that have finished by then are written.
   *
   * @throws if no batch was written: the error that stopped the job, else RolloutJobError `no_trajectories` or
   * `interrupted`
   */
  async run(): Promise<JobOutcome> {
    const { tasks, counts, store } = this.#job;
    const running = () => this.#controller.counts.running;
    const progress = new RolloutProgress({ ...this.#job, tally: this.#tally, tasks: tasks.length, running });
    try {
      for (const { data, taskId } of tasks) this.#controller.submit(data, { taskId });
      const earlier = await store.begin((change) => this.#act(change));
      this.#restore(earlier);
      await this.#metrics.open(earlier.batches);
      const untrained = await finishBatches(this.#job, earlier, this.#written.batches);
      this.#controller.finish();
      for (const batch of untrained) await this.#train(this.#describeEarlier(batch, earlier));
      for (let batch = await this.#next(); batch; batch = await this.#next()) await this.#consume(batch);
      await this.#endTrainer();
    } finally {
      this.#over = true;
      await this.#job.transcript?.close();
      await progress.stop();
      this.#errors.close();
    }
    const [failure, interrupted] = [this.#failure, this.#interrupted];
    // After an error, the job is unfinished: the next process goes on with it.
    if (!failure) await store.end(interrupted ? "stopped" : "done");
    const errors = this.#errors.place;
    if (this.#written.batches.files.length === 0) throw failure ?? noBatchError(this.#tally, errors, interrupted);
    return { tally: this.#tally, ...this.#written, sampledTokens: counts.tokens, errors, interrupted, failure };
  }

  /** Stops the job for its user. */
  interrupt(): void {
    if (this.#over) return;
    this.#interrupted = true;
    this.#tell("stopping; finished tasks are exported");
    this.#stop();
  }

  /** Stops the job because of an error. Only the first error counts. */
  fail(error: Error): void {
    if (this.#over) return;
    this.#failure ??= error;
    this.#stop();
  }

  /** Acts on a change of the job's state. */
  #act(change: JobChange): void {
    const { remover, leases, logger } = this.#job;
    remover.add(change.unwanted);
    remover.addLeases(change.lostLeases);
    for (const lost of change.lost) logger.warn(lost, "an attempt of a task was lost");
    this.#controller.noteChange(change);
    leases?.wake();
  }

  #note(result: TaskResult): void {
    this.#tally.add(result);
    this.#errors.add(result);
    this.#job.transcript?.add(result);
  }

  /** Counts what earlier processes of the job have done. */
  #restore({ ended }: EarlierWork): void {
    const { tasks, proxy } = this.#job;
    for (const { index, taskId, version, result, batch } of ended) {
      const { accepted, rejected } = fromWire(result);
      this.#tally.acceptedBefore += accepted.length;
      // The proxy may have another address since.
      const here = accepted.map((episode) => ({ ...episode, url: proxy.url }));
      const restored = { index, taskId, version, accepted: here, rejected, data: tasks[index]?.data };
      if (batch === undefined) this.#note(restored);
      else this.#tally.add(restored);
    }
  }

  /** Returns a batch of an earlier process that the trainer has not consumed. */
  #describeEarlier({ number, file }: CompleteBatchRow, { ended }: EarlierWork): MeasuredBatch {
    const tasks = ended
      .filter(({ batch }) => batch === number)
      .map(({ version, result }) => ({ version, accepted: fromWire(result).accepted }));
    const sessionIds = tasks.flatMap(({ accepted }) => accepted.map(({ sessionId }) => sessionId));
    return { number, file, version: this.#controller.version, tasks, sessionIds };
  }

  /** Waits for the next batch. The first call announces the weight version to the proxy. */
  #next(): Promise<RolloutBatch | undefined> {
    return this.#metrics.measure("rollout", () => this.#withProxy(() => this.#controller.waitBatch()));
  }

  /** Repeats a call that has no further effect if it is repeated, as long as its proxy comes back. */
  async #withProxy<T>(call: () => Promise<T>): Promise<T> {
    for (let outages = 0; ; outages++) {
      try {
        return await call();
      } catch (error) {
        const waits = isProxyAbsent(error) && outages < MAX_OUTAGES && !this.#stopping.signal.aborted;
        if (!waits || !(await this.#waitForProxy())) throw error;
      }
    }
  }

  #tell(message: string): void {
    this.#job.screen.line(`rolltape: ${message}`);
  }

  #stop(): void {
    this.#stopping.abort(new Error("the job was stopped"));
    // If the state of the tasks cannot be stored, waitBatch rejects too, which ends the job.
    this.#controller.stop().catch(() => undefined);
  }

  async #consume(batch: RolloutBatch): Promise<void> {
    const { config, options, proxy } = this.#job;
    const { turn_discount: discount, export_style: style, concat_reward } = config.rollout.agent;
    const filters = toFilterFields(readExportFilters(config));
    const fields = {
      layout: options.layout,
      style,
      discount,
      concat_reward,
      ...JOB_EXPORT,
      ...filters,
    } as const;
    const dropIncompleteGroup = config.drop_incomplete_group;
    const stopIfLost = !this.#stopping.signal.aborted;
    const settings = { admin: proxy.admin, fields, dropIncompleteGroup };
    const exported = (more: Pick<SurvivorsOptions<BatchContent>, "stopIfLost" | "lost" | "filtered">) =>
      this.#metrics.measure("export", () => this.#export(batch, { ...settings, ...more }));
    let survivors = await exported({ stopIfLost });
    if (stopIfLost && survivors && survivors.lost.size > 0) {
      if (!this.#stopping.signal.aborted) return await this.#rerun(batch, survivors.lost);
      survivors = await exported({ lost: survivors.lost });
    }
    const filtered = await this.#filter(batch, survivors?.content);
    if (survivors && filtered.size > 0) survivors = await exported({ lost: survivors.lost, filtered });
    if (survivors === undefined) return;
    this.#tally.lose(survivors.lost.size, survivors.leftOut);
    await this.#job.transcript?.settled(batch.sessionIds);
    if (survivors.content === undefined) {
      const reason = filtered.size > 0 ? new Rejection("filtered", "A filter left out every group.") : undefined;
      this.#controller.lose(batch, reason);
      await survivors.release();
      return;
    }
    const { content } = survivors;
    const file = await this.#metrics.measure("export", () => this.#write(content, survivors, fields));
    if (file === undefined) return;
    const { number } = this.#written.batches;
    const { sessionIds } = survivors;
    const sessionsFile = await this.#metrics.measure("export", () => this.#writeSessions({ number, file }, sessionIds));
    const { store, transcript, archive } = this.#job;
    const { version, tasks } = batch;
    const measured = { number, file, version, tasks, sessionIds };
    const trained = this.#job.options.trainer === undefined;
    if (trained) await this.#metrics.add(measured);
    // From now on, no other batch has its tasks.
    const indices = batch.tasks.map(({ index }) => index);
    await store.saveBatch({ number, file, tasks: indices, trained, outbox: archive?.id, sessionsFile });
    // Not earlier: if the job lost its database, another controller has these tasks in a batch of its own.
    await archiveBatch(this.#job, { number, file, sessions_file: sessionsFile ?? null });
    transcript?.addBatch({ number, file, version: this.#controller.version, sessionIds });
    // Released before the trainer runs, which may take hours.
    if (!options.keepSessions) await survivors.release();
    await store.freed(number);
    if (!trained) await this.#train(measured);
  }

  /**
   * Applies the filters of the job to a received batch and returns the sessions that they leave out. If there are any, the batch must be
   * exported again. The lease of the first export expires later. This does not affect sessions that were exported again.
   */
  async #filter({ version }: RolloutBatch, content: BatchContent | undefined): Promise<ReadonlySet<string>> {
    const filter = readGroupFilter(this.#job.config, version);
    if (filter === undefined || content === undefined) return new Set();
    const groups = await filterGroups(content, filter);
    this.#tally.filter(groups);
    const filtered = new Set([...groups.equal, ...groups.stale]);
    if (filtered.size > 0 && content instanceof PartialBatch) await content.discard();
    return filtered;
  }

  /** Runs the tasks of lost sessions again. */
  async #rerun(batch: RolloutBatch, lost: ReadonlySet<string>): Promise<void> {
    for (const task of batch.tasks)
      if (task.accepted.some(({ sessionId }) => lost.has(sessionId))) this.#tally.rerun(task);
    this.#tell(`${lost.size} sessions were lost with their proxy; their tasks run again`);
    await this.#controller.rerun(batch, lost, "its sessions were lost with their proxy");
  }

  /** Exports the batch. If the proxy refuses, tells the user how to export it again, and returns undefined. */
  async #export(
    batch: RolloutBatch,
    options: Omit<SurvivorsOptions<BatchContent>, "receive">,
  ): Promise<ExportedBatch | undefined> {
    const target = { file: this.#written.batches.upcomingFile };
    const receive = (arriving: ArrivingBatch) => receiveBatch(arriving, target);
    try {
      return await exportSurvivors(batch, { ...options, receive, waitForProxy: () => this.#waitForProxy() });
    } catch (error) {
      if (!(error instanceof BatchExportError)) throw error;
      this.#tell(
        describeUnexported(error, this.#job, { fields: options.fields, file: this.#written.batches.nextFile() }),
      );
      this.fail(error);
      return undefined;
    }
  }

  /** Waits until the proxy answers. A job that was stopped does not wait for long. */
  #waitForProxy(): Promise<boolean> {
    const { proxy, config } = this.#job;
    const watch = watchProxy(proxy);
    watch.noteLoss(true);
    const { proxy_wait_seconds } = config.rollout;
    const seconds = this.#stopping.signal.aborted
      ? Math.min(STOPPED_WAIT_SECONDS, proxy_wait_seconds)
      : proxy_wait_seconds;
    return watch.waitUntilAnswers(seconds);
  }

  /**
   * Writes the batch and returns its file; undefined if no folder accepted it. Stops the job if it is not in its own
   * file.
   */
  async #write(
    content: BatchContent,
    { sessionIds }: Pick<ExportedBatch, "sessionIds">,
    fields: BatchFields,
  ): Promise<string | undefined> {
    let written: SavedBatch;
    try {
      written = await this.#written.batches.write(this.#written.batches.nextFile(), content);
    } catch (error) {
      if (!(error instanceof BatchWriteError)) throw error;
      this.#tell(describeUnwritten(error, this.#job, { sessionIds, fields }));
      this.fail(error);
      return undefined;
    }
    const { file, failure } = written;
    if (failure) {
      const moved = new BatchWriteError(failure.file, `${failure.reason}. The batch is in ${file}; move it from there`);
      // Reported for each batch, because the job's error names only the first.
      this.#tell(moved.message);
      this.fail(moved);
    }
    return file;
  }

  /** Writes the sessions of a batch, if the job keeps them, and returns their file. If that fails, the job goes on: it has the batch. */
  async #writeSessions(batch: NumberedFile, sessionIds: readonly string[]): Promise<string | undefined> {
    try {
      return await this.#written.sessionsFiles.write(batch, sessionIds, this.#written.batches);
    } catch (error) {
      this.#tell(`${(error as Error).message}. The batch is in ${batch.file}`);
      return undefined;
    }
  }

  /** Trains on a batch and sets the new version, unless the job is stopped. Writes the metrics of the step in any case. */
  async #train(batch: MeasuredBatch): Promise<void> {
    const { number, file, tasks } = batch;
    const { signal } = this.#stopping;
    const [trainer, before, started] = [this.#trainer, this.#controller.version, performance.now()];
    if (trainer === undefined) return await this.#metrics.add(batch);
    try {
      signal.throwIfAborted();
      const step = { file, step: this.#steps, version: before, tasks: tasks.length };
      const result = await this.#metrics.measure("training", async () => {
        const trained = await trainer.train(step, signal);
        this.#controller.noteStep(trained.version - before);
        await this.#setVersion(trained);
        return trained;
      });
      await this.#metrics.add(batch, result.metrics);
      await this.#job.store.trained(number);
      const duration = (performance.now() - started) / 1000;
      this.#job.transcript?.addStep({ number: this.#steps, version: result.version, duration });
      const seconds = duration.toFixed(1);
      this.#tell(`step ${this.#steps}: trained on ${file} in ${seconds} s, version ${result.version}`);
      this.#steps++;
    } catch (error) {
      if (!signal.aborted) this.fail(error instanceof Error ? error : new Error(String(error)));
      await this.#metrics.add(batch);
    }
  }

  /** Loads the weights into the engine if the trainer has not done so, and sets the proxy's version. */
  async #setVersion({ version, weights }: TrainingResult): Promise<void> {
    if (version === this.#controller.version) return;
    const update = weights === undefined ? undefined : { path: weights };
    try {
      const { signal } = this.#stopping;
      await this.#withProxy(() => this.#controller.setVersion(version, update, { signal }));
    } catch (error) {
      if (weights === undefined) throw error;
      throw trainerFailed(`its weights ${weights} were not loaded: ${(error as Error).message}`);
    }
  }

  async #endTrainer(): Promise<void> {
    if (this.#job.options.trainerMode === "persistent") this.#tell("no more batches; waiting for the trainer to end");
    try {
      await this.#trainer?.end(this.#stopping.signal);
    } catch (error) {
      this.fail(error as Error);
    }
  }
}

function noBatchError(tally: RolloutTally, errors: string | undefined, interrupted: boolean): RolloutJobError {
  const { reasons, lost } = tally;
  const lines = [
    ...reasons.describe(),
    ...tally.describeLeftOut(),
    ...(lost > 0 ? [`${lost} sessions were lost with their proxy worker`] : []),
    ...(errors === undefined ? [] : [`errors: ${errors}`]),
  ];
  const why = interrupted && reasons.size === 0 ? ["the job was stopped before an episode had finished"] : lines;
  const code = interrupted ? "interrupted" : "no_trajectories";
  return new RolloutJobError(code, `no episode was accepted:${why.map((line) => `\n  ${line}`).join("")}`);
}

/** Creates the trainer of a job, if it has one. `onFailure` is called if a persistent one fails while it has no batch. */
function createTrainer(
  job: Pick<JobSetup, "options" | "proxy" | "store">,
  onFailure: (error: Error) => void,
): Trainer | undefined {
  const { options, proxy: engine } = job;
  const { trainer: command, trainerMode = "batch" } = options;
  if (command === undefined) return undefined;
  if (trainerMode === "batch") return new BatchTrainer(command, engine);
  return new PersistentTrainer({ command, engine, version: readStartVersion(job) ?? 0, onFailure });
}
