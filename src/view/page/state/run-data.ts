import type { MetricsLine, RunLine, StepLine } from "../../../transcript/format.js";
import type { BatchSummary, Overview } from "../../api.js";
import { type EpisodeRow, type RecordedEpisode, readEpisodeRows } from "./episode-row.js";
import { type Group, readGroups } from "./groups.js";

/** The data of a run: everything except messages and tokens. */
export interface RunData {
  readonly name: string;
  readonly revision: number;
  readonly run: RunLine | null;
  readonly notices: readonly string[];
  /** By number. */
  readonly batches: ReadonlyMap<number, BatchSummary>;
  readonly steps: ReadonlyMap<number, StepLine>;
  /** By step. */
  readonly metrics: readonly MetricsLine[];
  readonly groups: ReadonlyMap<string, Group>;
  /** In ascending order of their indices. */
  readonly episodes: readonly EpisodeRow[];
}

/** Returns the episode with an index; undefined if there is none. */
export function findEpisode({ episodes }: Pick<RunData, "episodes">, index: number): EpisodeRow | undefined {
  let [low, high] = [0, episodes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((episodes[middle]?.index ?? index) < index) low = middle + 1;
    else high = middle;
  }
  const found = episodes[low];
  return found?.index === index ? found : undefined;
}

type Head = Pick<RunData, "name" | "revision" | "run" | "notices">;

/** Collects the pages of a run. Adding a page takes as long as the page is; {@link read} as long as the run is. */
export class RunPages {
  #head: Head | undefined;
  #more = false;
  readonly #batches = new Map<number, BatchSummary>();
  readonly #steps = new Map<number, StepLine>();
  readonly #metrics = new Map<number, MetricsLine>();
  readonly #episodes = new Map<number, RecordedEpisode>();

  /** Revision after the last page; 0 at first. */
  get revision(): number {
    return this.#head?.revision ?? 0;
  }

  /** True if the next page can be asked for at once. */
  get more(): boolean {
    return this.#more;
  }

  /** Number of episodes. */
  get size(): number {
    return this.#episodes.size;
  }

  add({ name, revision, run, notices, more, ...page }: Overview): void {
    if (page.reset) for (const known of [this.#batches, this.#steps, this.#metrics, this.#episodes]) known.clear();
    this.#head = { name, revision, run, notices };
    this.#more = more;
    for (const batch of page.batches) this.#batches.set(batch.number, batch);
    for (const step of page.steps) this.#steps.set(step.number, step);
    for (const line of page.metrics) this.#metrics.set(line.step, line);
    for (const index of page.removed) this.#episodes.delete(index);
    for (const row of readEpisodeRows(page.episodes)) this.#episodes.set(row.index, row);
  }

  /** Returns the run as far as it is known; null before the first page. */
  read(): RunData | null {
    if (!this.#head) return null;
    const recorded = [...this.#episodes.values()].sort((a, b) => a.index - b.index);
    const batches = new Map(this.#batches);
    const steps = new Map(this.#steps);
    const groups = readGroups(recorded);
    return {
      ...this.#head,
      batches,
      steps,
      metrics: [...this.#metrics.values()].sort((a, b) => a.step - b.step),
      groups,
      episodes: recorded.map((row) => addContext(row, batches, steps, groups)),
    };
  }
}

function addContext(
  row: RecordedEpisode,
  batches: RunData["batches"],
  steps: RunData["steps"],
  groups: RunData["groups"],
): EpisodeRow {
  const group = row.group === null ? undefined : groups.get(row.group);
  const trained = trainedVersion(row.step, batches, steps);
  return {
    ...row,
    staleness: trained === null || row.oldestVersion === null ? null : trained - row.oldestVersion,
    groupMean: group?.mean ?? null,
    groupSpread: group?.spread ?? null,
  };
}

/**
 * Returns the weight version that a step trained: the version after the step before it. Without that step, it is the
 * version at which the batch was complete.
 */
function trainedVersion(step: number | null, batches: RunData["batches"], steps: RunData["steps"]): number | null {
  if (step === null) return null;
  return steps.get(step - 1)?.version ?? batches.get(step)?.version ?? null;
}
