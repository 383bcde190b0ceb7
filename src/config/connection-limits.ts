import type { Config } from "./schema/sections.js";

/** Returns the limits of `server.*` for connections, of servers and gateways. */
export function readConnectionLimits({ server }: Config) {
  return {
    maxConnections: server.max_connections,
    headersTimeoutMilliseconds: server.headers_timeout_seconds * 1000,
    requestTimeoutMilliseconds: server.request_timeout_seconds * 1000,
    sendTimeoutMilliseconds: server.send_timeout_seconds * 1000,
  };
}
