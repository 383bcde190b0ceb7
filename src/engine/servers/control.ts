import { EngineError } from "../engine.js";
import type { ControlRequest, ServerConnections } from "./connections.js";
import { statusError } from "./errors.js";

/** @throws EngineError unless the answer has status 200. */
export async function post(server: ServerConnections, request: Omit<ControlRequest, "method">): Promise<void> {
  const { status, body } = await server.control({ ...request, method: "POST" });
  if (status !== 200) throw statusError(status, body);
}

/** Asks the server's `/health`. @throws EngineError engine_unavailable unless it answers with status 200. */
export async function requireHealthy(server: ServerConnections, signal?: AbortSignal): Promise<void> {
  const { status } = await server.get("health", signal);
  if (status !== 200) throw new EngineError("engine_unavailable", `The engine is not healthy (HTTP ${status}).`);
}
