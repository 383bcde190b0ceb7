import type { Session } from "../../session/session.js";
import type { ServerContext } from "../context.js";
/**
 * Checks that a session accepts calls.
 *
 * @throws ApiError `server_draining`
 * @throws SessionError `session_ended`
 */
export declare function requireOpen({ draining }: Pick<ServerContext, "draining">, session: Session): void;
