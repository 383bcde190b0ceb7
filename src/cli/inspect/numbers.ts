/** Summary of a list of numbers. */
export interface Distribution {
  readonly count: number;
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  readonly max: number;
}

/** Summarizes numbers; undefined for an empty list. Of two middle values, the median is the lower one. */
export function summarizeNumbers(values: readonly number[]): Distribution | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [min, max, median] = [sorted[0], sorted.at(-1), sorted[(sorted.length - 1) >> 1]];
  if (min === undefined || max === undefined || median === undefined) return undefined;
  const mean = sorted.reduce((total, value) => total + value, 0) / sorted.length;
  return { count: sorted.length, min, median, mean, max };
}

export interface CountedRange {
  /** Lower bound, part of the bin. */
  readonly from: number;
  /** Upper bound, part of the bin. */
  readonly to: number;
  readonly count: number;
}

/** Counts integers in bins of equal width. There are at most `bins` bins. */
export function countBins(values: readonly number[], bins: number): CountedRange[] {
  const range = summarizeNumbers(values);
  if (!range) return [];
  const width = Math.max(1, Math.ceil((range.max - range.min + 1) / bins));
  const used = Math.floor((range.max - range.min) / width) + 1;
  const counts = Array.from({ length: used }, () => 0);
  for (const value of values) {
    const bin = Math.floor((value - range.min) / width);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, i) => {
    const from = range.min + i * width;
    return { from, to: Math.min(range.max, from + width - 1), count };
  });
}

/** Formats a number with six digits, about the precision of a float32. */
export function formatFloat(value: number): string {
  return String(Number(value.toPrecision(6)));
}
