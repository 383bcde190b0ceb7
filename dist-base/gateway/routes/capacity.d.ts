import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
/** Gives slots and sessions to the workers with the least load. */
export declare function capacityRoutes(app: App, context: GatewayContext): void;
