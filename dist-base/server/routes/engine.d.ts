import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** State and control of the engine servers: drain, restore, pause, resume. */
export declare function engineRoutes(app: App, context: ServerContext): void;
