import type { WeightUpdates } from "../../control/weights/weight-updates.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
/** State and control of the engine servers of all workers. A change reaches every server once, or none of them. */
export declare function engineRoutes(app: App, context: GatewayContext, updates: WeightUpdates): void;
