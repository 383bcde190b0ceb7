/** Summary of a list of numbers. */
export interface Statistics {
  readonly count: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** 10th, 50th and 90th percentile, interpolated. */
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
}

/** Returns the summary of values; null if there are none. */
export function statistics(values: readonly number[]): Statistics | null {
  const sorted = Float64Array.from(values).sort();
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return null;
  return {
    count: sorted.length,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    low,
    high,
    p10: quantile(sorted, 0.1),
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
  };
}

/** Returns a quantile of sorted values, interpolated between its neighbours. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}
