import { Histogram, type Registry } from "prom-client";

/**
 * Each time the timer fires, an idle process takes 0.1 ms or more, because the processor's caches have other data by then. A longer
 * interval changes no quantile: it has fewer samples, and the same share of them is late.
 */
const INTERVAL_MS = 500;

const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Measures how late a timer fires. Node's own monitor is not used: its quantiles cannot be summed over workers, and a scrape
 * that resets it takes the values away from other scrapers.
 *
 * @returns a function that stops the measurement
 */
export function observeEventLoopDelay(register: Registry): () => void {
  const delay = new Histogram({
    name: "rolltape_event_loop_delay_seconds",
    help: `Delay of a timer that fires every ${INTERVAL_MS} ms.`,
    buckets: BUCKETS,
    registers: [register],
  });
  return measureRepeatedly(new WeakRef(delay));
}

/** Nobody closes the proxy of an in-process client. Without the weak reference, the timer would keep it and its engine alive. */
function measureRepeatedly(delay: WeakRef<Histogram>): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const target = delay.deref();
    if (!target) return clearInterval(timer);
    const now = performance.now();
    target.observe(Math.max(0, now - last - INTERVAL_MS) / 1000);
    last = now;
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
