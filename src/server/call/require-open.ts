import { ApiError } from "../../http/errors.js";
import { SessionError } from "../../session/errors.js";
import type { Session } from "../../session/session.js";
import type { ServerContext } from "../context.js";

/**
 * Checks that a session accepts calls.
 *
 * @throws ApiError `server_draining`
 * @throws SessionError `session_ended`
 */
export function requireOpen({ draining }: Pick<ServerContext, "draining">, session: Session): void {
  if (draining) throw new ApiError("server_draining", "The server is shutting down.");
  if (session.state === "active") return;
  const message = `Session ${session.id} is ${session.state} and accepts no more model calls.`;
  throw new SessionError("session_ended", message);
}
