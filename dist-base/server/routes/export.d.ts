import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** Exports of training data: one session with its interactions, or many sessions as one batch. */
export declare function exportRoutes(app: App, context: ServerContext): void;
