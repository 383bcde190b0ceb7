import { type FastifyBaseLogger, type FastifyRequest } from "fastify";
import type { App } from "./app-type.js";
export interface AppOptions {
    readonly maxBodyBytes: number;
    readonly connections: ConnectionLimits;
    /** Refuses control and export bodies with unknown fields. Default: true. */
    readonly strictControlFields?: boolean | undefined;
    /** Returns true if the request's route is only for clients with a key. Default: false. */
    readonly needsKey?: (request: FastifyRequest) => boolean;
    readonly logger?: FastifyBaseLogger | undefined;
    /** Logs a line per request. Default: false. */
    readonly accessLog?: boolean | undefined;
}
/** Limits of connections: how many may be open, and how slow their clients may be. */
export interface ConnectionLimits {
    readonly maxConnections: number;
    /** Time in which a client must send the headers of a request. 0: no limit. */
    readonly headersTimeoutMilliseconds: number;
    /** Time in which a client must send a whole request. Generation time does not count. 0: no limit. */
    readonly requestTimeoutMilliseconds: number;
    /** Time without progress after which an answer that its client does not read is cut. 0: no limit. */
    readonly sendTimeoutMilliseconds: number;
    /** How many requests of one connection may wait for the answers before them. */
    readonly maxPipelinedRequests: number;
}
/** Returns a Fastify application with the settings that the server and the gateway share, without routes. */
export declare function createApp(options: AppOptions): App;
