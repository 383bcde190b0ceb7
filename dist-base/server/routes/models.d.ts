import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
import type { UpstreamRules } from "../upstreams/upstream-rules.js";
/** GET /v1/models and /v1/models/{id}, in the shape of the client's API. */
export declare function modelsRoutes(app: App, context: ServerContext, rules: UpstreamRules): void;
