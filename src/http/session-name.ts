import type { FastifyRequest } from "fastify";
import { ApiError } from "./errors.js";

export const SESSION_ID_HEADER = "X-Session-ID";

/** Response header of the gateway for calls with a run key: the tag of the session's worker. */
export const RUN_WORKER_HEADER = "x-rolltape-worker";

const SESSION_NAME = /^[\x21-\x7e]{1,128}$/;
const ALLOWED = "1 to 128 visible ASCII characters without spaces";

/** Message of the error `missing_session_id`. */
export const MISSING_SESSION_ID =
  `\`${SESSION_ID_HEADER}\` must name the session if the call has a run key: ${ALLOWED}. ` +
  "Send the same value with all calls of one session.";

/**
 * Returns the name of the session in its run; undefined if the request has none.
 *
 * @throws ApiError `invalid_value`
 */
export function readSessionName({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  const name = headers["x-session-id"];
  if (name === undefined || name === "") return undefined;
  if (typeof name === "string" && SESSION_NAME.test(name)) return name;
  const message = `\`${SESSION_ID_HEADER}\` must be ${ALLOWED}; received ${String(name).length} characters.`;
  throw new ApiError("invalid_value", message, { param: SESSION_ID_HEADER });
}
