import type { WeightUpdates } from "../../control/weights/weight-updates.js";
import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
/** Sets the weight version on every worker. The call is idempotent: if a worker fails, the trainer repeats it. */
export declare function versionRoutes(app: App, context: GatewayContext, updates: WeightUpdates): void;
