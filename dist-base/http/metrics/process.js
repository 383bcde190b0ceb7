import { collectDefaultMetrics, Registry } from "prom-client";
/** Gauges whose names end like a counter's, in `_total`. The metrics without `_total` have the same values, split by type. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];
/** One registry for all servers of this process, because the monitors behind it cannot be stopped. */
let registry;
function createRegistry() {
    const register = new Registry();
    collectDefaultMetrics({ register });
    for (const name of MISNAMED)
        register.removeSingleMetric(name);
    return register;
}
/** Returns the metrics of the process and of Node.js in Prometheus' text format. */
export function scrapeProcessMetrics() {
    registry ??= createRegistry();
    return registry.metrics();
}
//# sourceMappingURL=process.js.map