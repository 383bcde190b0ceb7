import type { App } from "../../http/app-type.js";
import type { GatewayContext } from "../context.js";
/** Lists the sessions of all workers, and forwards calls about one session. */
export declare function sessionRoutes(app: App, context: GatewayContext): void;
