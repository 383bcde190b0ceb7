import type { MetricsLine, RunLine, StepLine } from "../../../transcript/format.js";
import type { BatchSummary, Overview } from "../../api.js";
import { type EpisodeRow, type RecordedEpisode, readRows } from "./episode-row.js";
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
  readonly episodes: readonly EpisodeRow[];
}

/**
 * Merges changes into the known data. Episodes from `overview.first` on are replaced, because a batch that is written
 * after its episodes changes them.
 */
export function mergeOverview(known: RunData | null, overview: Overview): RunData {
  const { first } = overview;
  const kept = first === 0 ? [] : (known?.episodes.slice(0, first) ?? []);
  const base = first === 0 ? null : known;
  const recorded = [...kept, ...readRows(overview.episodes, first)];
  const batches = byNumber(base?.batches, overview.batches);
  const steps = byNumber(base?.steps, overview.steps);
  const groups = readGroups(recorded);
  return {
    name: overview.name,
    revision: overview.revision,
    run: overview.run,
    notices: overview.notices,
    batches,
    steps,
    metrics: overview.metrics,
    groups,
    episodes: recorded.map((row) => addContext(row, batches, steps, groups)),
  };
}

function byNumber<T extends { readonly number: number }>(
  known: ReadonlyMap<number, T> | undefined,
  added: readonly T[],
): Map<number, T> {
  return new Map([...(known ?? []), ...added.map((line) => [line.number, line] as const)]);
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
