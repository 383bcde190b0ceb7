import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens. */
export declare function generateContentRoutes(app: App, context: ServerContext): void;
