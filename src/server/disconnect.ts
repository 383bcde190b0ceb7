import type { FastifyReply } from "fastify";
import { SessionError } from "../session/errors.js";

/** Aborts when the client's connection closes before its answer was sent. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished)
      controller.abort(new SessionError("call_aborted", "The client closed its connection."));
  });
  return controller.signal;
}
