import { isDeepStrictEqual } from "node:util";
import type { Steps } from "../../support/async/steps.js";
import type {
  BatchLine,
  EpisodeSummary,
  IndexLine,
  LinePosition,
  MetricsLine,
  RunLine,
  StepLine,
} from "../../transcript/format.js";
import type { BatchSummary, Overview } from "../api.js";
import { ChangeLog, type ChangePage } from "../changes/change-log.js";
import { type IndexedEpisode, toColumns } from "../columns.js";

/** Values of an {@link Overview} that are not in the transcript. */
export interface OverviewFacts {
  readonly name: string;
  readonly notices: readonly string[];
  /** Returns true if the tensor file of a batch can be read. */
  readonly isReadable: (file: string) => boolean;
}

/** A change of the list: the index of an episode, the run, a line of another kind, or a line of the job's metrics. */
export type ListChange =
  | number
  | "run"
  | StepLine
  | BatchLine
  | { readonly type: "metrics"; readonly line: MetricsLine };

/** The lines of a transcript's index by kind, and the job's metrics. It grows with the transcript. */
export class TranscriptList {
  run: RunLine | null = null;
  readonly log: ChangeLog<ListChange>;
  readonly #metrics = new Map<number, MetricsLine>();
  readonly #episodes: (EpisodeSummary & LinePosition)[] = [];
  /** Revision of the last change of each episode. */
  readonly #revisions: number[] = [];
  /** Revision of the last change of each batch. */
  readonly #batches = new Map<BatchLine, number>();
  /** Position of a session's newest episode. */
  readonly #positions = new Map<string, number>();
  /** Batches that have tokens of a session, by its id: one, or several shards. */
  readonly #batchesOf = new Map<string, BatchLine[]>();

  /** @param base revision before the first line */
  constructor(base: number) {
    this.log = new ChangeLog(base);
  }

  get episodes(): readonly (EpisodeSummary & LinePosition)[] {
    return this.#episodes;
  }

  add(line: IndexLine): void {
    if (line.type === "episode") return this.#addEpisode(line);
    if (line.type === "batch") return this.#addBatch(line);
    if (line.type === "run") this.run ??= withoutPlace(line);
    this.log.add(line.type === "run" ? "run" : withoutPlace(line));
  }

  /** Lists a batch with its last change: it was written, or its tensor file has become readable. */
  touchBatch(batch: BatchLine): void {
    this.#batches.set(batch, this.log.add(batch));
  }

  /** Takes the lines of the metrics that are new or different. Each step compares one. */
  *setMetrics(metrics: readonly MetricsLine[]): Steps<void> {
    for (const line of metrics) {
      if (!isDeepStrictEqual(line, this.#metrics.get(line.step))) {
        this.#metrics.set(line.step, line);
        this.log.add({ type: "metrics", line });
      }
      yield;
    }
  }

  /** Returns the batches that have tokens of an episode. */
  batchesOf({ session_id: id }: EpisodeSummary): readonly BatchLine[] {
    return (id === undefined ? undefined : this.#batchesOf.get(id)) ?? [];
  }

  /** Returns a page of the log. Episodes and batches are part of the page with their last change only. */
  overview({ changes, ...page }: ChangePage<ListChange>, { isReadable, ...facts }: OverviewFacts): Overview {
    const episodes: IndexedEpisode[] = [];
    const [batches, steps, metrics]: [BatchSummary[], StepLine[], MetricsLine[]] = [[], [], []];
    const start = page.revision - changes.length + 1;
    for (const [at, change] of changes.entries()) {
      if (change === "run") continue;
      if (typeof change === "number") {
        const episode = this.#episodes[change];
        if (episode && this.#revisions[change] === start + at) episodes.push([change, episode]);
      } else if (change.type === "step") steps.push(change);
      else if (change.type === "metrics") metrics.push(change.line);
      else if (this.#batches.get(change) === start + at) batches.push(summarizeBatch(change, isReadable));
    }
    const batchOf = (episode: EpisodeSummary) => this.batchesOf(episode)[0]?.number ?? -1;
    const columns = toColumns(episodes, batchOf);
    return { ...facts, ...page, run: this.run, batches, steps, metrics, episodes: columns, removed: [] };
  }

  #addEpisode(episode: EpisodeSummary & LinePosition): void {
    const index = this.#episodes.push(episode) - 1;
    if (episode.session_id !== undefined) this.#positions.set(episode.session_id, index);
    this.#touch(index);
  }

  #addBatch(batch: BatchLine): void {
    for (const id of batch.session_ids) {
      const known = this.#batchesOf.get(id);
      if (known) known.push(batch);
      else this.#batchesOf.set(id, [batch]);
      const index = this.#positions.get(id);
      // Episodes have the number of the first of their batches.
      if (index !== undefined && !known) this.#touch(index);
    }
    this.touchBatch(batch);
  }

  #touch(index: number): void {
    this.#revisions[index] = this.log.add(index);
  }
}

function summarizeBatch(
  { number, file, version, at }: BatchLine,
  isReadable: OverviewFacts["isReadable"],
): BatchSummary {
  return { number, file, version, at, readable: isReadable(file) };
}

function withoutPlace<T extends LinePosition>(entry: T): Omit<T, keyof LinePosition> {
  const { offset: _offset, length: _length, ...line } = entry;
  return line;
}
