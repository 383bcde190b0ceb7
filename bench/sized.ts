/** In a smoke run (`npm run bench:smoke`), benchmarks are so small that they only show that they work. Their times mean nothing. */
const isSmoke = process.env["BENCH_SMOKE"] === "1";

/** Returns the size of a benchmark: `full`, or `smoke` in a smoke run. */
export function sized(full: number, smoke: number): number;
export function sized<T>(full: T, smoke: T): T;
export function sized<T>(full: T, smoke: T): T {
  return isSmoke ? smoke : full;
}
