import type { FastifyBaseLogger } from "fastify";
import type { App } from "../http/app-type.js";
import { type ConnectionLimits } from "../http/create-app.js";
import type { ControllerContext } from "./context.js";
export interface ControllerAppOptions extends ControllerContext {
    readonly adminKey: string;
    readonly maxBodyBytes: number;
    readonly bodyBytesInFlight: number;
    readonly connections: ConnectionLimits;
    readonly logger?: FastifyBaseLogger | undefined;
}
/** Creates the controller as a Fastify application that does not listen yet. Every route but the probes needs the admin key. */
export declare function createController({ adminKey, maxBodyBytes, bodyBytesInFlight, connections, logger, ...context }: ControllerAppOptions): Promise<App>;
