import type { ArrivingBatch, BatchFields } from "../../client/admin-client.js";
import { toFilterFields } from "../../client/export-filters.js";
import type { WrittenBatchRecord } from "../../leasing/job-journal.js";
import { readExportFilters } from "../../rollout/configured-filters.js";
import { RolloutController } from "../../rollout/controller/controller.js";
import type { RolloutBatch } from "../../rollout/controller/rollout-batch.js";
import type { TaskResult } from "../../rollout/controller/task.js";
import { isProxyAbsent } from "../../rollout/proxy-loss.js";
import { watchProxy } from "../../rollout/proxy-watch.js";
import { BatchFileError } from "./batch-file.js";
import { BatchFiles } from "./batch-files.js";
import type { WrittenBatch } from "./batch-writer.js";
import { createBatchWriter, describeUnexported, describeUnwritten } from "./create-batch-writer.js";
import { createTrainer } from "./create-trainer.js";
import { RolloutErrorLog } from "./error-log.js";
import { RolloutJobError } from "./errors.js";
import { type JobSetup, readStartVersion } from "./job-setup.js";
import type { StoppableJob } from "./process-watch.js";
import { RolloutProgress } from "./progress.js";
import { type BatchContent, receiveBatch } from "./receive-batch.js";
import { finishBatches, submitTasks } from "./restore-job.js";
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
  readonly #batches: BatchFiles;
  readonly #errors: RolloutErrorLog;
  readonly #stopping = new AbortController();
  readonly #trainer: Trainer | undefined;
  /** Number of runs of tasks that ran again in this process. */
  readonly #runs = new Map<number, number>();
  /** Number of batches that the trainer has consumed. */
  #steps = 0;
  #interrupted = false;
  /** True when everything is written and nothing can be stopped any more. */
  #over = false;
  #failure: Error | undefined;

  constructor(job: JobSetup) {
    const { max_staleness, max_concurrent_rollouts, consumer_batch_size } = job.config.rollout;
    const { trainer, fromVersion, out } = job.options;
    const { journal } = job;
    const count = job.tasks.length;
    const consumerBatchSize = consumer_batch_size ?? count;
    this.#job = job;
    this.#batches = new BatchFiles(
      createBatchWriter(job, this.#stopping.signal, (message) => this.#tell(message)),
      out,
      // A job that goes on must not overwrite the only batch of the process before it.
      consumer_batch_size === null && !journal?.nextBatch ? undefined : (journal?.nextBatch ?? fromVersion ?? 0),
    );
    this.#errors = new RolloutErrorLog(out);
    this.#controller = new RolloutController(job.runner, job.proxy, {
      maxConcurrentRollouts: max_concurrent_rollouts ?? Math.min(DEFAULT_CONCURRENT_TASKS, count),
      // Without a trainer there are no later versions: nothing becomes stale.
      maxStaleness: trainer === undefined ? Math.ceil(count / consumerBatchSize) : max_staleness,
      consumerBatchSize,
      version: readStartVersion(job),
      onResult: (result) => {
        this.#tally.add(result);
        this.#errors.add(result);
        job.transcript?.add(result);
      },
    });
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
    const { tasks, groupSize, tokens, screen, journal } = this.#job;
    const progress = new RolloutProgress(tasks.length * groupSize, this.#tally, tokens, screen);
    try {
      const untrained = await finishBatches(this.#job, this.#batches);
      submitTasks(this.#job, { controller: this.#controller, tally: this.#tally });
      this.#controller.finish();
      for (const record of untrained) await this.#train(record.file, record);
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
    if (!failure) await journal?.end(interrupted ? "stopped" : "done");
    const errors = this.#errors.place;
    if (this.#batches.files.length === 0) throw failure ?? noBatchError(this.#tally, errors, interrupted);
    return { tally: this.#tally, batches: this.#batches, sampledTokens: tokens.count, errors, interrupted, failure };
  }

  /** Counts of the job for its controller's status. */
  get counts() {
    const { submitted, waiting } = this.#controller.counts;
    const { acceptedTasks: accepted, rejectedTasks: rejected } = this.#tally;
    return { submitted, waiting, accepted, rejected, version: this.#controller.version };
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

  /** Waits for the next batch. The first call announces the weight version to the proxy. */
  #next(): Promise<RolloutBatch | undefined> {
    return this.#withProxy(() => this.#controller.waitBatch());
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
    void this.#controller.stop();
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
      on_mismatch: "split",
      shared_turns: "first",
      ...filters,
    } as const;
    const dropIncompleteGroup = config.drop_incomplete_group;
    const settings = { admin: proxy.admin, fields, dropIncompleteGroup };
    const stopIfLost = !this.#stopping.signal.aborted;
    let survivors = await this.#export(batch, { ...settings, stopIfLost });
    if (stopIfLost && survivors && survivors.lost.size > 0) {
      if (!this.#stopping.signal.aborted && this.#rerun(batch, survivors.lost)) return;
      survivors = await this.#export(batch, { ...settings, lost: survivors.lost });
    }
    if (survivors === undefined) return;
    this.#tally.lose(survivors.lost.size, survivors.leftOut);
    await this.#job.transcript?.settled(batch.sessionIds);
    if (survivors.content === undefined) {
      this.#controller.lose(batch);
      await survivors.release();
      return;
    }
    const file = await this.#write(survivors.content, survivors, fields);
    if (file === undefined) return;
    const record = await this.#record(batch, file);
    const { sessionIds } = survivors;
    this.#job.transcript?.addBatch({ number: record.number, file, version: this.#controller.version, sessionIds });
    // Released before the trainer runs, which may take hours.
    await survivors.release();
    const freed = { ...record, sessionIds: [] };
    await this.#job.journal?.updateBatch(freed);
    await this.#train(file, freed);
  }

  /** Stores that a batch is written. From now on, no other batch has its tasks. */
  async #record({ tasks, sessionIds }: RolloutBatch, file: string): Promise<WrittenBatchRecord> {
    const trained = this.#job.options.trainer === undefined;
    const { number } = this.#batches;
    const record = { number, file, tasks: tasks.map(({ index }) => index), sessionIds, trained };
    await this.#job.journal?.saveBatch(record);
    return record;
  }

  /**
   * Runs the tasks of lost sessions again, in this process or on any rollout worker. Their other sessions are deleted. Returns false
   * if each of them has run too often.
   */
  #rerun(batch: RolloutBatch, lost: ReadonlySet<string>): boolean {
    const isLost = ({ accepted }: TaskResult) => accepted.some(({ sessionId }) => lost.has(sessionId));
    const tasks = batch.tasks.filter((task) => isLost(task) && this.#mayRunAgain(task));
    if (tasks.length === 0) return false;
    const { leases, proxy } = this.#job;
    for (const task of tasks) {
      this.#tally.rerun(task);
      const kept = task.accepted.flatMap(({ sessionId }) => (lost.has(sessionId) ? [] : [sessionId]));
      if (leases) leases.reopen(task.index, "its sessions were lost with their proxy", kept);
      // If the proxy does not answer, they are freed when they expire.
      else for (const id of kept) void proxy.admin.deleteSession(id).catch(() => false);
    }
    this.#tell(`${lost.size} sessions were lost with their proxy; their tasks run again`);
    const again = new Set(tasks.map(({ index }) => index));
    this.#controller.rerun(batch, ({ index }) => again.has(index));
    return true;
  }

  /** Counts the runs of a task in this process. Leases count those of rollout workers. */
  #mayRunAgain({ index }: TaskResult): boolean {
    if (this.#job.leases) return true;
    const runs = (this.#runs.get(index) ?? 1) + 1;
    this.#runs.set(index, runs);
    return runs <= this.#job.config.rollout.max_attempts;
  }

  /** Exports the batch. If the proxy refuses, tells the user how to export it again, and returns undefined. */
  async #export(
    batch: RolloutBatch,
    options: Omit<SurvivorsOptions<BatchContent>, "receive">,
  ): Promise<ExportedBatch | undefined> {
    const target = { file: this.#batches.upcomingFile };
    const receive = (arriving: ArrivingBatch) => receiveBatch(arriving, target);
    try {
      return await exportSurvivors(batch, { ...options, receive, waitForProxy: () => this.#waitForProxy() });
    } catch (error) {
      if (!(error instanceof BatchExportError)) throw error;
      this.#tell(describeUnexported(error, this.#job, { fields: options.fields, file: this.#batches.nextFile() }));
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
    let written: WrittenBatch;
    try {
      written = await this.#batches.write(this.#batches.nextFile(), content);
    } catch (error) {
      if (!(error instanceof BatchFileError)) throw error;
      this.#tell(describeUnwritten(error, this.#job, { sessionIds, fields }));
      this.fail(error);
      return undefined;
    }
    const { file, failure } = written;
    if (failure) {
      const moved = new BatchFileError(failure.file, `${failure.reason}. The batch is in ${file}; move it from there`);
      // Reported for each batch, because the job's error names only the first.
      this.#tell(moved.message);
      this.fail(moved);
    }
    return file;
  }

  /** Trains on a batch and sets the new version, unless the job is stopped. */
  async #train(file: string, record: WrittenBatchRecord): Promise<void> {
    const { signal } = this.#stopping;
    if (this.#trainer === undefined || signal.aborted) return;
    const before = this.#controller.version;
    const started = performance.now();
    try {
      const result = await this.#trainer.train(
        { file, step: this.#steps, version: before, tasks: record.tasks.length },
        signal,
      );
      this.#controller.noteStep(result.version - before);
      await this.#setVersion(result);
      await this.#job.journal?.updateBatch({ ...record, trained: true }, result.version);
      const duration = (performance.now() - started) / 1000;
      this.#job.transcript?.addStep({ number: this.#steps, version: result.version, duration });
      const seconds = duration.toFixed(1);
      this.#tell(`step ${this.#steps}: trained on ${file} in ${seconds} s, version ${result.version}`);
      this.#steps++;
    } catch (error) {
      if (!signal.aborted) this.fail(error instanceof Error ? error : new Error(String(error)));
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

function noBatchError(
  { reasons, lost }: RolloutTally,
  errors: string | undefined,
  interrupted: boolean,
): RolloutJobError {
  const lines = [
    ...reasons.describe(),
    ...(lost > 0 ? [`${lost} sessions were lost with their proxy worker`] : []),
    ...(errors === undefined ? [] : [`errors: ${errors}`]),
  ];
  const why = interrupted && reasons.size === 0 ? ["the job was stopped before an episode had finished"] : lines;
  const code = interrupted ? "interrupted" : "no_trajectories";
  return new RolloutJobError(code, `no episode was accepted:${why.map((line) => `\n  ${line}`).join("")}`);
}
