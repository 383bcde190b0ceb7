import type { Server } from "node:http";
import type { buildConnector } from "undici";
/**
 * Returns a connector to an HTTP server in this process. A connection is a pair of streams in memory, so the server need not
 * listen.
 */
export declare function inProcessConnector(server: Server): buildConnector.connector;
