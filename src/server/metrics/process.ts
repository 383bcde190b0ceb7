import { collectDefaultMetrics, Registry } from "prom-client";

/** Gauges whose names end like a counter's. `nodejs_active_handles` and the like have the same numbers, by type. */
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

/** Collected once per process, however many servers it runs: the monitors cannot be stopped. */
let registry: Registry | undefined;

function collect(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  return register;
}

/** Returns the metrics of the process and of Node.js in Prometheus' text format. */
export function processMetrics(): Promise<string> {
  registry ??= collect();
  return registry.metrics();
}
