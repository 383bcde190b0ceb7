import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/** Lists sessions and their state, and deletes sessions without an export. */
export declare function sessionRoutes(app: App, { registry, exportLeases }: ServerContext): void;
