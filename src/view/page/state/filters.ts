import type { EpisodeRow } from "./episode-row.js";
import { RANGE_FIELDS, type RangeKey, VALUE_FIELDS, type ValueKey } from "./fields.js";
import { overlaps, type Range } from "./range.js";

/** Filters of the list. It shows the episodes that pass all of them. */
export interface Filters {
  /** Words that the messages, the task, the group or the session contain. */
  readonly text?: string;
  readonly ranges: Readonly<Partial<Record<RangeKey, Range>>>;
  readonly values: Readonly<Partial<Record<ValueKey, string>>>;
}

export const NO_FILTERS: Filters = { ranges: {}, values: {} };

/**
 * Returns the episodes that pass the filters.
 *
 * @param found indices of the episodes whose messages contain the text; null until the search has ended
 */
export function filterEpisodes(
  rows: readonly EpisodeRow[],
  filters: Filters,
  found: ReadonlySet<number> | null,
): readonly EpisodeRow[] {
  const tests = readTests(filters, found);
  return tests.length === 0 ? rows : rows.filter((row) => tests.every((test) => test(row)));
}

type Test = (row: EpisodeRow) => boolean;

function readTests({ text, ranges, values }: Filters, found: ReadonlySet<number> | null): Test[] {
  const tests: Test[] = [];
  for (const key of Object.keys(ranges) as RangeKey[]) {
    const range = ranges[key];
    if (range) tests.push((row) => isWithin(range, RANGE_FIELDS[key].read(row)));
  }
  for (const key of Object.keys(values) as ValueKey[]) {
    const value = values[key];
    const { read }: { read: (row: EpisodeRow) => readonly string[] } = VALUE_FIELDS[key];
    if (value !== undefined) tests.push((row) => read(row).includes(value));
  }
  if (text) {
    const words = text.toLowerCase();
    tests.push((row) => (found?.has(row.index) ?? false) || hasName(row, words));
  }
  return tests;
}

function isWithin(range: Range, value: number | readonly [number, number] | null): boolean {
  if (value === null) return false;
  return typeof value === "number" ? overlaps(range, value, value) : overlaps(range, value[0], value[1]);
}

function hasName(row: EpisodeRow, words: string): boolean {
  return [row.taskId, row.group, row.sessionId].some((name) => name?.toLowerCase().includes(words));
}

/** Returns filters with one of them set, or removed if it is undefined. */
export function withRange(filters: Filters, key: RangeKey, range: Range | undefined): Filters {
  const { [key]: _, ...rest } = filters.ranges;
  return { ...filters, ranges: range ? { ...rest, [key]: range } : rest };
}

export function withValue(filters: Filters, key: ValueKey, value: string | undefined): Filters {
  const { [key]: _, ...rest } = filters.values;
  return { ...filters, values: value === undefined ? rest : { ...rest, [key]: value } };
}

export function withText(filters: Filters, text: string): Filters {
  const { text: _, ...rest } = filters;
  return text === "" ? rest : { ...rest, text };
}
