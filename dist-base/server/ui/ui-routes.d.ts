import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/**
 * The viewer of the server's sessions under `/ui`. The page's own files are public and contain nothing of the server; its API needs
 * the admin key.
 */
export declare function uiRoutes(app: App, { registry, model, settings }: ServerContext): Promise<void>;
