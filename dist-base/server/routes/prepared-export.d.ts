import type { App } from "../../http/app-type.js";
import type { ServerContext } from "../context.js";
/**
 * One worker's part of a batch over several workers, in three calls by a gateway: `ready` waits, `prepare` packs, `settle`
 * marks the sessions as exported. The gateway settles only when all workers have packed.
 */
export declare function preparedExportRoutes(app: App, context: ServerContext): void;
