import type { WeightUpdates } from "../../control/weights/weight-updates.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
import type { GatewayMetrics } from "../gateway-metrics.js";
/** Probes, and metrics of the gateway and all workers. */
export declare function serviceRoutes(app: App, { pool, upstream, controlMilliseconds, publicMetrics, processes }: GatewayContext, { metrics, updates }: {
    readonly metrics: GatewayMetrics;
    readonly updates: WeightUpdates;
}): void;
