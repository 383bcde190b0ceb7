import { ApiError } from "../../http/errors.js";
import { SessionError } from "../../session/errors.js";
/**
 * Checks that a session accepts calls.
 *
 * @throws ApiError `server_draining`
 * @throws SessionError `session_ended`
 */
export function requireOpen({ draining }, session) {
    if (draining)
        throw new ApiError("server_draining", "The server is shutting down.");
    if (session.state === "active")
        return;
    const message = `Session ${session.id} is ${session.state} and accepts no more model calls.`;
    throw new SessionError("session_ended", message);
}
//# sourceMappingURL=require-open.js.map