import type { PlannedBench } from "./plan.js";

export interface RunAllOptions {
  /** For all benchmarks together. Those that it leaves no time for fail. */
  readonly limitSeconds: number;
  /** Runs one benchmark for at most so many seconds. Returns why it did not succeed; undefined if it did. */
  readonly run: (bench: PlannedBench, limitSeconds: number) => Promise<string | undefined>;
  readonly print: (line: string) => void;
}

export interface AllRuns {
  readonly seconds: number;
  /** Names. */
  readonly succeeded: readonly string[];
  /** Names, and why they failed. */
  readonly failed: ReadonlyMap<string, string>;
}

/** A benchmark is not begun if less time is left. */
const LEAST_SECONDS = 10;

/** Runs one benchmark after the other, and goes on after one that fails. */
export async function runAll(plan: readonly PlannedBench[], options: RunAllOptions): Promise<AllRuns> {
  const { limitSeconds, run, print } = options;
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const succeeded: string[] = [];
  const failed = new Map<string, string>();
  for (const [index, bench] of plan.entries()) {
    const before = elapsed();
    print(`[${index + 1}/${plan.length}] ${bench.name} … (${formatTime(before)} so far)`);
    const left = limitSeconds - before;
    const problem =
      left < LEAST_SECONDS
        ? `no time was left of ${formatTime(limitSeconds)}`
        : await run(bench, Math.min(bench.limitSeconds, left));
    print(`    ${problem ?? "ok"} (${formatTime(elapsed() - before)})`);
    if (problem === undefined) succeeded.push(bench.name);
    else failed.set(bench.name, problem);
  }
  return { seconds: elapsed(), succeeded, failed };
}

/** With less time left than this, all benchmarks would take too long on a slightly slower machine. */
const MARGIN_SECONDS = 60;

/** Returns the time that all benchmarks took and their limit, with a warning if little time was left. */
export function describeTotal(seconds: number, limitSeconds: number): string {
  const total = `${formatTime(seconds)} of ${formatTime(limitSeconds)}`;
  const left = limitSeconds - seconds;
  if (left >= MARGIN_SECONDS) return total;
  const problem = left < 0 ? "too long" : `only ${formatTime(left)} left`;
  return `${total} (warning: ${problem}; shorten a benchmark in the size \`short\`)`;
}

/** Returns minutes and seconds: `2:05`. */
export function formatTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
