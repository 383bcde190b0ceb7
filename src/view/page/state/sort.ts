import type { EpisodeRow } from "./episode-row.js";
import { isRangeKey, isValueKey, RANGE_FIELDS, type RangeKey, VALUE_FIELDS, type ValueKey } from "./fields.js";

export type SortKey = "index" | RangeKey | ValueKey;

export interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

/** The order of the transcript. */
export const UNSORTED: Sort = { key: "index", descending: false };

/** Returns the rows in order. Rows without the value are last in both directions; equal rows keep their order. */
export function sortEpisodes(rows: readonly EpisodeRow[], { key, descending }: Sort): readonly EpisodeRow[] {
  if (key === "index") return descending ? rows.toReversed() : rows;
  const keyed = rows.map((row) => ({ row, value: readSortValue(row, key) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    return a.value < b.value ? -sign : a.value > b.value ? sign : 0;
  });
  return keyed.map(({ row }) => row);
}

function readSortValue(row: EpisodeRow, key: RangeKey | ValueKey): number | string | null {
  if (isValueKey(key)) {
    const read: (row: EpisodeRow) => readonly string[] = VALUE_FIELDS[key].read;
    return read(row).join(" ") || null;
  }
  const value = RANGE_FIELDS[key].read(row);
  return typeof value === "number" || value === null ? value : value[0];
}

/** Writes an order for a URL: `reward`, or `-reward` if it is descending. */
export const formatSort = ({ key, descending }: Sort): string => `${descending ? "-" : ""}${key}`;

/** Reads what {@link formatSort} writes; anything else is the order of the transcript. */
export function parseSort(text: string): Sort {
  const descending = text.startsWith("-");
  const key = descending ? text.slice(1) : text;
  return key === "index" || isRangeKey(key) || isValueKey(key) ? { key, descending } : UNSORTED;
}
