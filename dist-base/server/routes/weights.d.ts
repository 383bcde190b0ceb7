import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** Updates the weights of the engine: hold calls, pause, load, flush caches, set the version, resume. */
export declare function weightRoutes(app: App, context: ServerContext): void;
/** One step of an update, for gateways. They call it on each of their workers. */
export declare function weightStepRoutes(app: App, context: ServerContext): void;
