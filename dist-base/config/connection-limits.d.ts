import type { Config } from "./schema/sections.js";
/** Returns the limits of `server.*` for connections, of servers and gateways. */
export declare function readConnectionLimits({ server }: Config): {
    maxConnections: number;
    headersTimeoutMilliseconds: number;
    requestTimeoutMilliseconds: number;
    sendTimeoutMilliseconds: number;
    maxPipelinedRequests: number;
};
