import { setTimeout as sleep } from "node:timers/promises";
import { median } from "../text.js";

const SWEEPING_MS = 20;

/** Does its work once and answers how many seconds the measured part took. */
export type Contender = () => number | Promise<number>;

/** Seconds of `work` alone. */
export async function seconds(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/** Seconds of each contender in each round. */
export type Times<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/**
 * Lets the contenders take turns, so that what else the machine does falls on all of them. One round before the
 * measured ones warms memory and code. Garbage is collected before each, outside its time: blocks of hundreds of
 * megabytes make V8 mark its heap on all processors, and that would fall on whoever comes next. So would the sweeping,
 * which goes on in threads of its own for some milliseconds.
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

/** Needs `--expose-gc`. */
export function collectGarbage(): void {
  globalThis.gc?.();
}

/** How many times as long `slow` took as `fast`: the median over the rounds. */
export function timesFaster(fast: readonly number[], slow: readonly number[]): number {
  return median(fast.map((taken, round) => (slow[round] ?? Number.NaN) / taken));
}

export { median };
