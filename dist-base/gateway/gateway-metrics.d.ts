import { Registry } from "prom-client";
import { WeightMetrics } from "../control/weights/weight-metrics.js";
import type { WorkerPool } from "./worker-pool.js";
/**
 * The gateway's own Prometheus metrics. One scrape has these and the metrics of all workers. Their names differ, so that a sum
 * over a name never counts a forwarded request twice.
 */
export declare class GatewayMetrics {
    readonly registry: Registry<"text/plain; version=0.0.4; charset=utf-8">;
    readonly weights: WeightMetrics;
    constructor(pool: WorkerPool);
    /** Returns these metrics and those of the process in Prometheus' text format, without the metrics of workers. */
    scrape(): Promise<string>;
}
