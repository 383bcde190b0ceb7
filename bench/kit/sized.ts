/**
 * How much a benchmark measures, from the variable `BENCH_SIZE`:
 *
 * - `full`, the default
 * - `short`: a few minutes for each benchmark
 * - `smoke` (`npm run bench:smoke`): so little that it only shows that the benchmark works. Its times mean nothing.
 */
export const BENCH_SIZES = ["full", "short", "smoke"] as const;
export type BenchSize = (typeof BENCH_SIZES)[number];

export const benchSize = readSize(process.env["BENCH_SIZE"]);

/** Returns the value for the size of this run. `short` is only given where a full run takes long. */
export function sized(full: number, smoke: number, short?: number): number;
export function sized<T>(full: T, smoke: T, short?: T): T;
export function sized<T>(full: T, smoke: T, short: T = full): T {
  return { full, short, smoke }[benchSize];
}

function readSize(value = "full"): BenchSize {
  const size = BENCH_SIZES.find((each) => each === value);
  if (size === undefined) throw new Error(`BENCH_SIZE must be one of ${BENCH_SIZES.join(", ")}; received ${value}.`);
  return size;
}
