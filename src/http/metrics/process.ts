import { collectDefaultMetrics, Registry } from "prom-client";

/** Gauges whose names end like a counter's. The same names without `_total` have the same numbers, by type. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Shared by all servers of this process, because the monitors cannot be stopped. */
let registry: Registry | undefined;

function collectProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  return register;
}

/** Returns the metrics of the process and of Node.js in Prometheus' text format. */
export function processMetrics(): Promise<string> {
  registry ??= collectProcessMetrics();
  return registry.metrics();
}
