import type { Range } from "./range.js";

export interface Bin {
  readonly range: Range;
  readonly count: number;
}

/**
 * Counts values in at most `most` bins of a round width. Bins of whole numbers are whole numbers (`3..5`); others are
 * half-open (`0.5..<0.6`). If there are at most six distinct values, each gets its own bin.
 */
export function histogram(values: readonly number[], most = 16): Bin[] {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [];
  const distinct = [...new Set(finite)].toSorted((a, b) => a - b);
  if (distinct.length <= 6) return countDistinct(finite, distinct);
  const [low = 0, high = 0] = [distinct[0], distinct.at(-1)];
  const whole = distinct.every(Number.isInteger);
  const width = Math.max(roundUp((high - low) / most), whole ? 1 : 0);
  // Numbers too large or too close to each other to be divided.
  if (!(width > 0) || !Number.isFinite(width)) return [{ range: { low, high }, count: finite.length }];
  const start = binOf(low, width);
  const counts = Array.from({ length: binOf(high, width) - start + 1 }, () => 0);
  for (const value of finite) {
    const at = binOf(value, width) - start;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, at) => ({ count, range: binRange(start + at, width, whole) }));
}

/** Returns the number of the bin whose bounds contain a value. Division alone may be off by one because of rounding. */
function binOf(value: number, width: number): number {
  const at = Math.floor(value / width);
  if (value < boundOf(at, width)) return at - 1;
  return value >= boundOf(at + 1, width) ? at + 1 : at;
}

const boundOf = (at: number, width: number): number => trim(at * width);

function countDistinct(values: readonly number[], distinct: readonly number[]): Bin[] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return distinct.map((value) => ({ range: { low: value, high: value }, count: counts.get(value) ?? 0 }));
}

function binRange(at: number, width: number, whole: boolean): Range {
  const [low, high] = [boundOf(at, width), boundOf(at + 1, width)];
  return whole ? { low, high: high - 1 } : { low, high, open: true };
}

/** Returns the next of 1, 2 and 5 times a power of ten. */
function roundUp(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= width * 0.999_999) ?? 10;
  return trim(factor * power);
}

/** Removes the noise of binary fractions: 0.30000000000000004 is 0.3. */
const trim = (value: number): number => Number(value.toPrecision(12));
