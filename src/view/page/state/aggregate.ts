import type { EpisodeRow } from "./episode-row.js";
import type { Group } from "./groups.js";
import { histogram } from "./histogram.js";
import { overlaps, type Range } from "./range.js";
import { type Statistics, statistics } from "./statistics.js";

/**
 * Unit of the horizontal axis: training steps, or weight versions in a run without batches; the start times of the episodes, in seconds
 * since the epoch, if there is only one step or version.
 */
export type Axis = "step" | "version" | "started";

/** The episodes of one step, or of an interval of time. */
export interface StepPoint {
  readonly at: number;
  /** Values of the axis that the point stands for. */
  readonly range: Range;
  readonly episodes: number;
  readonly reward: Statistics | null;
  readonly completion: Statistics | null;
  readonly turns: Statistics | null;
  readonly staleness: Statistics | null;
  readonly duration: Statistics | null;
  /** Share of calls whose prompt does not begin with all tokens of its parent. */
  readonly brokenShare: number;
  /** Share of groups whose rewards are all equal; null without groups. */
  readonly flatShare: number | null;
}

export function chooseAxis(rows: readonly EpisodeRow[]): Axis {
  const axis = rows.some(({ step }) => step !== null) ? "step" : "version";
  if (countDistinct(rows, (row) => row[axis]) > 1) return axis;
  const [first = 0, last = 0] = readSpan(rows);
  return last - first > 1 ? "started" : axis;
}

function countDistinct(rows: readonly EpisodeRow[], read: (row: EpisodeRow) => number | null): number {
  return new Set(rows.flatMap((row) => read(row) ?? [])).size;
}

/** Returns the first and the last start time; nothing if none is known. */
function readSpan(rows: readonly EpisodeRow[]): readonly number[] {
  return rows.reduce<readonly number[]>(([first = Infinity, last = -Infinity], { startedAt }) => {
    const isKnown = startedAt !== null && Number.isFinite(startedAt);
    return isKnown ? [Math.min(first, startedAt), Math.max(last, startedAt)] : [first, last];
  }, []);
}

/** Returns one point per step, version or interval of time that has episodes, in ascending order. */
export function aggregateSteps(rows: readonly EpisodeRow[], axis: Axis): StepPoint[] {
  if (axis === "started") return aggregateTimes(rows);
  const byStep = groupBy(rows, (row) => row[axis]);
  return [...byStep]
    .flatMap(([at, members]) => (at === null ? [] : [readPoint({ low: at, high: at }, members)]))
    .toSorted((a, b) => a.at - b.at);
}

/** Maximum number of points over time. */
const MOST_POINTS = 40;

type StartedRow = EpisodeRow & { readonly startedAt: number };

function aggregateTimes(rows: readonly EpisodeRow[]): StepPoint[] {
  const started = rows.filter((row): row is StartedRow => Number.isFinite(row.startedAt));
  const bins = histogram(
    started.map(({ startedAt }) => startedAt),
    MOST_POINTS,
  );
  return bins.flatMap(({ range, count }) => {
    if (count === 0) return [];
    return [
      readPoint(
        range,
        started.filter(({ startedAt }) => overlaps(range, startedAt, startedAt)),
      ),
    ];
  });
}

function readPoint(range: Range, rows: readonly EpisodeRow[]): StepPoint {
  const numbers = (read: (row: EpisodeRow) => number | null): Statistics | null =>
    statistics(rows.flatMap((row) => read(row) ?? []));
  const calls = sum(rows, (row) => row.calls);
  return {
    at: range.low,
    range,
    episodes: rows.length,
    reward: numbers((row) => row.reward),
    completion: numbers((row) => row.completionTokens),
    turns: numbers((row) => row.turns),
    staleness: numbers((row) => row.staleness),
    duration: numbers((row) => row.duration),
    brokenShare: calls === 0 ? 0 : sum(rows, (row) => row.broken) / calls,
    flatShare: flatShare(rows),
  };
}

function flatShare(rows: readonly EpisodeRow[]): number | null {
  const spreads = new Map(rows.flatMap((row) => (row.groupSpread === null ? [] : [[row.group, row.groupSpread]])));
  if (spreads.size === 0) return null;
  return [...spreads.values()].filter((spread) => spread === 0).length / spreads.size;
}

/** Returns how many episodes have each text, the most frequent first. */
export function countValues(
  rows: readonly EpisodeRow[],
  read: (row: EpisodeRow) => readonly string[],
): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of read(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

/** Returns the groups whose rewards are all equal: their advantages are 0, so they train nothing. */
export const flatGroups = (groups: Iterable<Group>): Group[] => [...groups].filter(({ spread }) => spread === 0);

export function sum(rows: readonly EpisodeRow[], read: (row: EpisodeRow) => number): number {
  return rows.reduce((total, row) => total + read(row), 0);
}

function groupBy<K>(rows: readonly EpisodeRow[], read: (row: EpisodeRow) => K): Map<K, EpisodeRow[]> {
  const groups = new Map<K, EpisodeRow[]>();
  for (const row of rows) {
    const key = read(row);
    const members = groups.get(key);
    if (members) members.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
