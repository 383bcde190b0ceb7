import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** Probes, metrics and the OpenAPI description. */
export declare function serviceRoutes(app: App, context: ServerContext): void;
