import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
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

/** The longest stall of the event loop, in milliseconds. */
export interface Stall {
  readonly longest: number;
  /** Without the final pauses of V8's major collections. */
  readonly withoutMajorPauses: number;
}

/**
 * Runs `work` and measures the longest time between two ticks of a 1 ms timer meanwhile. {@link delayDuring} does not know when a stall was, so
 * it cannot leave out a collection.
 */
export async function stallDuring(work: () => Promise<unknown>): Promise<Stall> {
  const ticks: number[] = [performance.now()];
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries().filter(isMajor)));
  observer.observe({ entryTypes: ["gc"] });
  const timer = setInterval(() => ticks.push(performance.now()), RESOLUTION_MS);
  await sleep(2 * RESOLUTION_MS);
  await work();
  await sleep(2 * RESOLUTION_MS);
  clearInterval(timer);
  // An observer gets its entries after the collections.
  await sleep(50);
  observer.disconnect();
  const gaps = ticks.slice(1).map((to, i): [number, number] => [ticks[i] ?? to, to]);
  return {
    longest: Math.max(...gaps.map(([from, to]) => to - from)),
    withoutMajorPauses: Math.max(...gaps.map(([from, to]) => to - from - majorPausesIn(collections, from, to))),
  };
}

function isMajor(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

function majorPausesIn(collections: readonly PerformanceEntry[], from: number, to: number): number {
  const inGap = collections.map(({ startTime, duration }) => {
    return Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime));
  });
  return inGap.reduce((sum, pause) => sum + pause, 0);
}
