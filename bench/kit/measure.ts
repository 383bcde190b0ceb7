import { setTimeout as sleep } from "node:timers/promises";

/** Time for V8's threads to finish a garbage collection, in milliseconds. */
const SWEEPING_MS = 20;

/** Does its work once and returns how many seconds the measured part took. */
export type Contender = () => number | Promise<number>;

/** Runs `work` and returns how many seconds it took. */
export async function seconds(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Runs `work` and returns the processor time of all threads meanwhile, in seconds. Other load of the machine hardly affects it. */
export async function processorSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Seconds of each contender in each round. */
export type Times<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Lets the contenders take turns, so that other load of the machine affects all of them. The first round is not measured: it warms
 * memory and code.
 *
 * Before each measurement, garbage is collected. Otherwise the blocks of hundreds of megabytes of one contender would make V8 mark
 * its heap, on all processors, while the next one is measured. The wait lets V8's threads finish sweeping.
 */
export async function takeTurns<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, Contender>>,
): Promise<Times<Name>> {
  const names = Object.keys(contenders) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      collectGarbage();
      await sleep(SWEEPING_MS);
      const taken = await contenders[name]();
      if (round >= 0) times[name].push(taken);
    }
  }
  return times;
}

/** Collects garbage. Has no effect without `--expose-gc`. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

/** Returns how many times as long `slow` took as `fast`: the median over the rounds. */
export function timesFaster(fast: readonly number[], slow: readonly number[]): number {
  return median(fast.map((taken, round) => (slow[round] ?? Number.NaN) / taken));
}

/** Returns the middle value, or the mean of the two middle values if their number is even, as in a short run of two rounds. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[Math.floor(index)] ?? Number.NaN;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}

/** Returns the value below which this share of the values lies; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
