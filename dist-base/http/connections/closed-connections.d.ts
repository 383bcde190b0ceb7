import { type Registry } from "prom-client";
export interface ClosedConnectionsOptions {
    /** Time without progress after which an answer that its client does not read is cut. 0: no limit. */
    readonly sendTimeoutMilliseconds: number;
    readonly register: Registry;
    /** Name of the counter. */
    readonly metric: string;
}
/**
 * Closes connections whose clients stopped reading their answers, and counts the connections that were closed because of a
 * limit.
 */
export declare const closedConnections: import("fastify").FastifyPluginCallback<ClosedConnectionsOptions, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
