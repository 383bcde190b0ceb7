import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** POST /v1/chat/completions, also without /v1. */
export declare function chatCompletionRoutes(app: App, context: ServerContext): void;
