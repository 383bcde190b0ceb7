import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { ApiError } from "./errors.js";

const FAILED = "answer failed after its headers were sent";

/**
 * Logs answers that fail after their headers were sent. If a connection broke or was closed on purpose, the stack explains nothing, so
 * it is left out. Fastify's own method logs nothing if the logs of requests are disabled.
 */
export class StreamLog extends Fastify.LogController {
  override streamError(error: Error, _request: FastifyRequest, reply: FastifyReply): void {
    if (!isConnectionError(error)) return reply.log.error({ err: error }, FAILED);
    // A client may close its connection at any time.
    const level = reply.raw.destroyed ? "info" : "warn";
    reply.log[level]({ reasons: [error.message] }, FAILED);
  }
}

const CLOSED: ReadonlySet<unknown> = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ABORT_ERR", "ECONNRESET", "EPIPE"]);

/** Returns true for errors of connections, to the client or to another server, including those that this server closed. */
function isConnectionError(error: NodeJS.ErrnoException): boolean {
  const { code } = error;
  return error instanceof ApiError || CLOSED.has(code) || code?.startsWith("UND_ERR_") === true;
}
