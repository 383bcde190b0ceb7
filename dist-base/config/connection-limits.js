/** Returns the limits of `server.*` for connections, of servers and gateways. */
export function readConnectionLimits({ server }) {
    return {
        maxConnections: server.max_connections,
        headersTimeoutMilliseconds: server.headers_timeout_seconds * 1000,
        requestTimeoutMilliseconds: server.request_timeout_seconds * 1000,
        sendTimeoutMilliseconds: server.send_timeout_seconds * 1000,
        maxPipelinedRequests: server.max_pipelined_requests,
    };
}
//# sourceMappingURL=connection-limits.js.map