import type { ControlRequest, ServerConnections } from "./connections.js";
/** Sends a control request. @throws EngineError unless the answer has status 200 */
export declare function postControl(server: ServerConnections, request: Omit<ControlRequest, "method">): Promise<void>;
/**
 * Sends a request of a weight update.
 *
 * @throws EngineError unless the answer has status 200. A reply with `"success": false` is a failure, whatever its status.
 */
export declare function postUpdate(server: ServerConnections, request: Omit<ControlRequest, "method">): Promise<void>;
/** Sends a request of a weight update, unless the server is older than the endpoint. Older servers work without it. */
export declare function postUpdateIfServed(server: ServerConnections, request: Omit<ControlRequest, "method">): Promise<void>;
/**
 * Checks a server's health with the first of `paths` that exists.
 *
 * @throws KeyRefusedError if the answer has status 401, EngineError engine_unavailable for any other status than 200
 */
export declare function requireHealthy(server: ServerConnections, paths: readonly string[], signal?: AbortSignal): Promise<void>;
