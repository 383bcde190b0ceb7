import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** POST /v1/responses and GET /v1/responses/{id}, also without /v1. */
export declare function responsesRoutes(app: App, context: ServerContext): void;
