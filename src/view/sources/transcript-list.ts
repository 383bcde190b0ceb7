import type {
  BatchLine,
  EpisodeSummary,
  IndexLine,
  MetricsLine,
  Place,
  RunLine,
  StepLine,
} from "../../transcript/format.js";
import type { BatchSummary, Overview } from "../api.js";
import { toColumns } from "../columns.js";

/** Values of an {@link Overview} that are not in the transcript. */
export interface OverviewFacts {
  readonly name: string;
  readonly revision: number;
  readonly notices: readonly string[];
  /** Returns true if the tensor file of a batch can be read. */
  readonly isReadable: (file: string) => boolean;
}

/** The lines of a transcript's index by kind, and the job's metrics. It grows with the transcript. */
export class TranscriptList {
  run: RunLine | null = null;
  readonly steps: StepLine[] = [];
  readonly batches: BatchLine[] = [];
  #metrics: readonly MetricsLine[] = [];
  readonly #episodes: (EpisodeSummary & Place)[] = [];
  /** Position of a session's newest episode. */
  readonly #positions = new Map<string, number>();
  /** Batches that have tokens of a session, by its id: one, or several shards. */
  readonly #batchesOf = new Map<string, BatchLine[]>();
  /** For each change, the first episode that it adds or changes. */
  readonly #changed: number[] = [];
  #lines = 0;

  /** Number of lines. */
  get lines(): number {
    return this.#lines;
  }

  /** Number of changes: lines, and changes of the metrics. */
  get changes(): number {
    return this.#changed.length;
  }

  get episodes(): readonly (EpisodeSummary & Place)[] {
    return this.#episodes;
  }

  add(line: IndexLine): void {
    const before = this.#episodes.length;
    let changed = before;
    if (line.type === "run") this.run ??= withoutPlace(line);
    else if (line.type === "step") this.steps.push(withoutPlace(line));
    else if (line.type === "episode") {
      this.#episodes.push(line);
      if (line.session_id !== undefined) this.#positions.set(line.session_id, before);
    } else {
      this.batches.push(withoutPlace(line));
      for (const id of line.session_ids) {
        const known = this.#batchesOf.get(id);
        if (known) known.push(line);
        else this.#batchesOf.set(id, [line]);
        changed = Math.min(changed, this.#positions.get(id) ?? changed);
      }
    }
    this.#changed.push(changed);
    this.#lines++;
  }

  setMetrics(metrics: readonly MetricsLine[]): void {
    this.#metrics = metrics;
    this.#changed.push(this.#episodes.length);
  }

  /** Returns the batches that have tokens of an episode. */
  batchesOf({ session_id: id }: EpisodeSummary): readonly BatchLine[] {
    return (id === undefined ? undefined : this.#batchesOf.get(id)) ?? [];
  }

  /** Returns the overview. Its episodes begin with the first one that was added or changed by change number `change` or a later one. */
  overview(change: number, { isReadable, ...facts }: OverviewFacts): Overview {
    // Not `Math.min(...lines)`, which has too many arguments for a long transcript.
    const first = this.#changed.slice(change).reduce((least, each) => Math.min(least, each), this.#episodes.length);
    const batchOf = (episode: EpisodeSummary) => this.batchesOf(episode)[0]?.number ?? -1;
    const episodes = toColumns(this.#episodes.slice(first), batchOf);
    const batches = this.batches.map(({ number, file, version, at }): BatchSummary => {
      return { number, file, version, at, readable: isReadable(file) };
    });
    return { ...facts, run: this.run, batches, steps: this.steps, metrics: this.#metrics, first, episodes };
  }
}

function withoutPlace<T extends Place>(entry: T): Omit<T, keyof Place> {
  const { offset: _offset, length: _length, ...line } = entry;
  return line;
}
