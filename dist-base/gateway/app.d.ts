import type { FastifyBaseLogger } from "fastify";
import type { App } from "../http/app-type.js";
import { type ConnectionLimits } from "../http/create-app.js";
import type { GatewayContext } from "./context.js";
export interface GatewayOptions extends GatewayContext {
    readonly maxBodyBytes: number;
    readonly connections: ConnectionLimits;
    /** Admin key of the workers. Undefined: only the workers check keys. */
    readonly adminKey?: string | undefined;
    /** Limit of the bytes of all control bodies that are being received, and of the bodies of calls that wait for a worker. */
    readonly bodyBytesInFlight: number;
    /** Refuses control and export bodies with unknown fields, as the workers do. Default: true. */
    readonly strictControlFields?: boolean;
    readonly logger?: FastifyBaseLogger | undefined;
}
export interface Gateway {
    readonly app: App;
    /** Returns why model calls wait; undefined if they do not. */
    readonly describeHold: () => string | undefined;
}
/**
 * Creates the gateway as a Fastify application that does not listen yet. It checks no keys: workers do that. Closing it closes
 * neither the pool nor the connections to the workers.
 */
export declare function createGateway({ logger, maxBodyBytes, connections, bodyBytesInFlight, adminKey, strictControlFields, ...context }: GatewayOptions): Promise<Gateway>;
