import { Gauge, Registry } from "prom-client";
import { ExportMetrics } from "../admin-api/export-metrics.js";
import { WeightMetrics } from "../admin-api/weights/weight-metrics.js";
import { addGauge } from "../http/metrics/add-gauge.js";
import { addBuildInfo } from "../http/metrics/build-info.js";
import { scrapeProcessMetrics } from "../http/metrics/process.js";
import type { WorkerPool } from "./worker-pool.js";

/**
 * The gateway's own Prometheus metrics. One scrape has these and the metrics of all workers. Their names differ, so that a sum
 * over a name never counts a forwarded request twice. The names of exports are those of workers, because no worker counts an export that
 * the gateway packs.
 */
export class GatewayMetrics {
  readonly registry = new Registry();
  readonly weights = new WeightMetrics(this.registry, "rolltape_gateway");
  readonly exports = new ExportMetrics(this.registry);

  constructor(pool: WorkerPool) {
    addBuildInfo(this.registry, "rolltape_gateway_build_info");
    const help = "Requests that wait for a worker to come back.";
    addGauge(this.registry, "rolltape_gateway_waiting_requests", help, () => pool.waiting);
    new Gauge({
      name: "rolltape_worker_up",
      help: "1 if a worker answers the gateway, else 0.",
      labelNames: ["worker"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { tag, state } of pool.all()) this.set({ worker: tag }, state === "down" ? 0 : 1);
      },
    });
  }

  /** Returns these metrics and those of the process in Prometheus' text format, without the metrics of workers. */
  async scrape(): Promise<string> {
    return `${await this.registry.metrics()}\n${await scrapeProcessMetrics()}`;
  }
}
