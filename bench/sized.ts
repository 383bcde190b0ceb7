/** Benchmarks run in a size that proves nothing but that they work: no time is looked at. `npm run bench:smoke` sets it. */
const isSmoke = process.env["BENCH_SMOKE"] === "1";

/** Returns the size of a benchmark: `full`, or `smoke` in a smoke run. */
export function sized(full: number, smoke: number): number;
export function sized<T>(full: T, smoke: T): T;
export function sized<T>(full: T, smoke: T): T {
  return isSmoke ? smoke : full;
}
