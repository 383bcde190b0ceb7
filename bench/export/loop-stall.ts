import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

/** Milliseconds between the ticks of a 1 ms timer. Other work on the event loop may have to wait that long. */
export interface Delay {
  readonly p99: number;
  readonly max: number;
}

/** Runs `work` and measures the event loop meanwhile. */
export async function delayDuring<T>(work: () => Promise<T>): Promise<{ delay: Delay; result: T }> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  await sleep(10);
  histogram.enable();
  // The first interval ends with the first tick, so without it a stall right at the start would be lost.
  await sleep(2 * RESOLUTION_MS);
  const result = await work();
  await sleep(2 * RESOLUTION_MS);
  histogram.disable();
  const delay = { p99: histogram.percentile(99) / NANOSECONDS_PER_MS, max: histogram.max / NANOSECONDS_PER_MS };
  return { delay, result };
}
