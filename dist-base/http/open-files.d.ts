import type { FastifyBaseLogger } from "fastify";
import type { ConnectionLimits } from "./create-app.js";
export interface Sockets {
    /** Connections from clients that the configuration allows. */
    readonly clients: number;
    /** Connections that this process may open to engine servers or workers. */
    readonly upstream: number;
}
export interface FittingConnections {
    /** Connections from clients to accept. */
    readonly maxConnections: number;
    /** Warning for the log; undefined if the operating system allows all connections. */
    readonly problem: string | undefined;
}
/**
 * Reduces the number of connections to what the operating system's limit of open files allows. Without this, clients could use
 * up all files, and calls that were accepted could not reach the engine.
 */
export declare function fitConnections({ clients, upstream }: Sockets, limit?: number | undefined): FittingConnections;
/**
 * Returns the limits with as many connections as open files allow. Logs a warning if these are fewer than configured.
 *
 * @param upstream connections that this process may open to engine servers or workers
 */
export declare function fitToOpenFiles(limits: ConnectionLimits, upstream: number, logger: FastifyBaseLogger | undefined): ConnectionLimits;
