import { EngineError } from "../../engine.js";
import type { ReportedWeights } from "../engine-server.js";
import type { ControlRequest, ServerConnections } from "./connections.js";
import { KeyRefusedError, NotServedError, publicText, statusError } from "./errors.js";
import { jsonObject, versionNumber } from "./json.js";

/** Time limit of the request for the weight version. It is short, because a call waits for it. */
const VERSION_MS = 2_000;

/** Sends a control request. @throws EngineError unless the answer has status 200 */
export async function postControl(server: ServerConnections, request: Omit<ControlRequest, "method">): Promise<void> {
  const { status, body } = await server.control({ ...request, method: "POST" });
  if (status !== 200) throw statusError(status, body);
}

/**
 * Sends a request of a weight update.
 *
 * @throws EngineError unless the answer has status 200. A reply with `"success": false` is a failure, whatever its status.
 */
export async function postUpdate(server: ServerConnections, request: Omit<ControlRequest, "method">): Promise<void> {
  const { status, body } = await server.control({ timeoutMilliseconds: 0, ...request, method: "POST" });
  if (status !== 200) throw statusError(status, body);
  const { success, message } = jsonObject(body);
  if (success !== false) return;
  const detail = publicText(typeof message === "string" ? message : "");
  throw new EngineError("engine_error", `The engine answered that /${request.path} failed${detail && `: ${detail}`}`);
}

/** Like {@link postUpdate}. Resolves to false if the server does not have the endpoint. */
export async function postUpdateIfServed(
  server: ServerConnections,
  request: Omit<ControlRequest, "method">,
): Promise<boolean> {
  try {
    await postUpdate(server, request);
    return true;
  } catch (error) {
    if (!(error instanceof NotServedError)) throw error;
    return false;
  }
}

/** Asks for the version of the server's weights. Never rejects. */
export async function askVersion(server: ServerConnections, path: string): Promise<ReportedWeights> {
  const answer = await server.get(path, AbortSignal.timeout(VERSION_MS)).catch(() => undefined);
  return answer?.status === 200 ? { version: versionNumber(jsonObject(answer.body)["weight_version"]) } : {};
}

/**
 * Checks a server's health with the first of `paths` that exists.
 *
 * @throws KeyRefusedError if the answer has status 401, EngineError engine_unavailable for any other status than 200
 */
export async function requireHealthy(
  server: ServerConnections,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  let status = 404;
  for (const path of paths) {
    ({ status } = await server.get(path, signal));
    if (status !== 404) break;
  }
  if (status === KeyRefusedError.STATUS) throw new KeyRefusedError("engine_unavailable");
  if (status !== 200) throw new EngineError("engine_unavailable", `The engine is not healthy (HTTP ${status}).`);
}
