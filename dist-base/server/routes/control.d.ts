import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** Capacity, start and end of sessions, rewards, weight version. */
export declare function controlRoutes(app: App, context: ServerContext): void;
