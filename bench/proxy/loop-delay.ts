/** Interval of prom-client's timer in milliseconds. The delays in its metrics include this interval. */
const RESOLUTION_MS = 10;

/** Event-loop delays since the previous scrape, in milliseconds. */
export interface LoopDelay {
  readonly p99: number;
  readonly max: number;
}

/** Reads the event-loop delays of a proxy from its metrics. */
export function readLoopDelay(metrics: string): LoopDelay {
  const read = (name: string) => {
    const seconds = new RegExp(`^nodejs_eventloop_lag_${name}_seconds(?:\\{.*\\})? (\\S+)$`, "m").exec(metrics)?.[1];
    return Math.max(0, Number(seconds) * 1000 - RESOLUTION_MS);
  };
  return { p99: read("p99"), max: read("max") };
}
