import type { App } from "../http/app-type.js";
import type { ControllerContext } from "./context.js";
import type { ControllerMetrics } from "./controller-metrics.js";
/** Probes, metrics, and the state of the job. */
export declare function statusRoutes(app: App, context: ControllerContext, metrics: ControllerMetrics): void;
