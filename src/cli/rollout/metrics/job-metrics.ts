import { appendFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { readRows } from "../../../batch-file/batch-rows.js";
import type { CompleteBatchRow } from "../../../job/schema.js";
import { TensorFile } from "../../../support/safetensors/tensor-file.js";
import type { MetricsLine } from "../../../transcript/format.js";
import { metricsFileOf, readMetrics } from "../../../transcript/metrics-file.js";
import type { JobSetup } from "../job-setup.js";
import type { RolloutTally } from "../tally.js";
import { encodeFileStart, encodeScalars } from "./event-file.js";
import { type BatchTasks, describeEpisodes, type StepMetrics } from "./step-metrics.js";
import { readTrainerMetrics } from "./trainer-metrics.js";

/** Name of the folder with TensorBoard's event files. */
export const tensorBoardFolderOf = (out: string): string => `${out}.tensorboard`;

/** The part of a job that its metrics need. */
export type MeasuredJob = Pick<JobSetup, "options" | "store" | "counts" | "screen"> & { readonly tally: RolloutTally };

/** A batch that is in its file. */
export interface MeasuredBatch extends BatchTasks {
  readonly number: number;
  readonly file: string;
}

/** The parts of a step whose time is measured. */
type Part = "rollout" | "export" | "training";

/** TensorBoard reads every file that begins like this. The end tells those of jobs from those of trainers. */
const EVENT_FILE = /^events\.out\.tfevents\..*\.rolltape$/;
const SHOWN_PROBLEMS = 3;

/**
 * Writes one JSON line for each step of a job beside its batches, and the same numbers for TensorBoard. A step is a batch that was
 * written and, in a job with a trainer, trained on. A write error ends the metrics, but not the job.
 *
 * A line is written before the job's database says that the step is over. A job that goes on therefore finds the line of every step that
 * is over, and cuts those of other steps.
 */
export class JobMetrics {
  readonly #job: MeasuredJob;
  /** The event file; undefined if nothing is written. */
  #events: string | undefined;
  /** Steps that have a line. */
  readonly #steps = new Set<number>();
  /** Rejected episodes that lines have counted. */
  #rejected = 0;
  #seconds: Partial<Record<Part, number>> = {};
  #since = { time: performance.now(), tokens: 0 };

  constructor(job: MeasuredJob) {
    this.#job = job;
  }

  /**
   * Creates the files, in place of those of an earlier job. A job that goes on keeps its lines.
   *
   * @param batches those that earlier processes of the job have written
   */
  async open(batches: readonly Pick<CompleteBatchRow, "number" | "trained">[]): Promise<void> {
    const { options, store } = this.#job;
    if (options.metrics === false) return;
    const over = new Set(batches.filter(({ trained }) => trained === 1).map(({ number }) => number));
    try {
      const path = metricsFileOf(options.out);
      const earlier = store.isResumed ? await readMetrics(path) : [];
      const lines = earlier.filter(({ step }) => over.delete(step));
      await replaceFile(path, lines.map(toText).join(""));
      this.#events = await createEventFile(tensorBoardFolderOf(options.out), lines);
      for (const { step, "episodes/rejected": rejected = 0 } of lines) {
        this.#steps.add(step);
        this.#rejected += rejected;
      }
    } catch (error) {
      this.#end(error);
    }
  }

  /** Adds the time of a call to the current step. */
  async measure<T>(part: Part, call: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await call();
    } finally {
      this.#seconds[part] = (this.#seconds[part] ?? 0) + (performance.now() - started) / 1000;
    }
  }

  /**
   * Writes the line of a step that has none, and begins the next one.
   *
   * @param reported what the trainer has reported as `metrics`
   */
  async add(batch: MeasuredBatch, reported: readonly unknown[] = []): Promise<void> {
    const { scalars, problems } = readTrainerMetrics(reported);
    this.#complain(batch.number, problems);
    if (this.#events === undefined || this.#steps.has(batch.number)) return;
    this.#steps.add(batch.number);
    const metrics = { ...(await this.#describe(batch)), ...scalars };
    const line = { step: batch.number, version: batch.version, time: Date.now() / 1000, ...metrics };
    try {
      // Synced, because the database, which is synced too, then says that the step is over.
      await appendFile(metricsFileOf(this.#job.options.out), toText(line), { flush: true });
      await appendFile(this.#events, toEvent(line));
    } catch (error) {
      this.#end(error);
    }
  }

  async #describe(batch: MeasuredBatch): Promise<StepMetrics> {
    const { counts, tally } = this.#job;
    // The proxy may be too busy to answer. Its tokens then count in the next step.
    await counts.refresh().catch(() => undefined);
    const now = performance.now();
    const seconds = (now - this.#since.time) / 1000;
    const sampled = counts.tokens - this.#since.tokens;
    const rejected = Math.max(0, tally.rejected - this.#rejected);
    const { rollout, export: exported, training } = this.#seconds;
    this.#since = { time: now, tokens: counts.tokens };
    this.#rejected += rejected;
    this.#seconds = {};
    return {
      ...describeEpisodes(batch),
      "episodes/rejected": rejected,
      ...(await countTokens(batch.file).catch(() => ({}))),
      "tokens/sampled": sampled,
      "tokens/sampled_per_second": sampled / Math.max(seconds, 1e-3),
      ...(rollout !== undefined && { "time/rollout_seconds": rollout }),
      ...(exported !== undefined && { "time/export_seconds": exported }),
      ...(training !== undefined && { "time/training_seconds": training }),
      "time/step_seconds": seconds,
    };
  }

  #complain(step: number, problems: readonly string[]): void {
    if (problems.length === 0) return;
    const more = problems.length - SHOWN_PROBLEMS;
    const shown = problems.slice(0, SHOWN_PROBLEMS).join(" ");
    const others = more > 0 ? ` ${more} more of its metrics cannot be used.` : "";
    this.#job.screen.line(`rolltape: warning: step ${step} goes on without a metric of the trainer: ${shown}${others}`);
  }

  #end(error: unknown): void {
    this.#events = undefined;
    const path = metricsFileOf(this.#job.options.out);
    this.#job.screen.line(`rolltape: warning: ${path} gets no more metrics: ${(error as Error).message}`);
  }
}

const toText = (line: MetricsLine): string => `${JSON.stringify(line)}\n`;

function toEvent({ step, time, ...scalars }: MetricsLine): Buffer {
  return encodeScalars({ step, time, scalars });
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** Creates an event file with these lines, in place of those of earlier processes. Returns its path. */
async function createEventFile(folder: string, lines: readonly MetricsLine[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const earlier = (await readdir(folder)).filter((name) => EVENT_FILE.test(name));
  const now = Date.now() / 1000;
  const name = `events.out.tfevents.${Math.floor(now)}.${hostname()}.${process.pid}.rolltape`;
  await writeFile(join(folder, name), Buffer.concat([encodeFileStart(now), ...lines.map(toEvent)]));
  for (const each of earlier) if (each !== name) await rm(join(folder, each), { force: true });
  return join(folder, name);
}

async function countTokens(path: string): Promise<StepMetrics> {
  await using file = await TensorFile.open(path);
  const rows = readRows(file.header);
  let trained = 0;
  for await (const piece of file.numbers("loss_mask")) for (const each of piece) trained += each;
  return {
    "batch/rows": rows.length,
    "tokens/batch": rows.reduce((total, { length }) => total + length, 0),
    "tokens/trained": trained,
  };
}
