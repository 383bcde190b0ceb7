import { Histogram } from "prom-client";
const INTERVAL_MS = 20;
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/**
 * Measures how late a timer fires. Node's own monitor is not used: its quantiles cannot be summed over workers, and a scrape
 * that resets it takes the values away from other scrapers.
 *
 * @returns a function that stops the measurement
 */
export function observeEventLoopDelay(register) {
    const delay = new Histogram({
        name: "rolltape_event_loop_delay_seconds",
        help: `Delay of a timer that fires every ${INTERVAL_MS} ms.`,
        buckets: BUCKETS,
        registers: [register],
    });
    return measureRepeatedly(new WeakRef(delay));
}
/** Nobody closes the proxy of an in-process client. Without the weak reference, the timer would keep it and its engine alive. */
function measureRepeatedly(delay) {
    let last = performance.now();
    const timer = setInterval(() => {
        const target = delay.deref();
        if (!target)
            return clearInterval(timer);
        const now = performance.now();
        target.observe(Math.max(0, now - last - INTERVAL_MS) / 1000);
        last = now;
    }, INTERVAL_MS);
    timer.unref();
    return () => clearInterval(timer);
}
//# sourceMappingURL=event-loop-delay.js.map