import type { Config } from "./schema/sections.js";

/** Time in which a client must send the headers of a request. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Time in which a client must send a whole request. It does not limit the time of the answer. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Returns the limits of `server.*` for connections, of servers and gateways. */
export function readConnectionLimits({ server }: Config) {
  return {
    maxConnections: server.max_connections,
    headersTimeoutMilliseconds: HEADERS_TIMEOUT_MS,
    requestTimeoutMilliseconds: REQUEST_TIMEOUT_MS,
    sendTimeoutMilliseconds: server.send_timeout_seconds * 1000,
  };
}
