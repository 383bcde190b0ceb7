import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** POST /v1/messages and /v1/messages/count_tokens. */
export declare function messagesRoutes(app: App, context: ServerContext): void;
