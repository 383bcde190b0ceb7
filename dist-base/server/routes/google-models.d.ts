import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** GET /v1beta/models and /v1beta/models/{model}, in Google's form. */
export declare function googleModelsRoutes(app: App, context: ServerContext): void;
