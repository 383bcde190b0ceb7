import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { ApiError } from "./errors.js";

/**
 * Aborts when the client's connection closes before its answer was sent. The connection is watched beside the response:
 * a response that waits behind another one on the same connection does not hear of its end.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  const { socket } = reply.request.raw;
  const closed = () => {
    stop();
    controller.abort(new ApiError("call_aborted", "The client closed its connection."));
  };
  const sent = () => {
    if (!isIntact(socket)) return;
    stop();
  };
  const stop = () => {
    socket.off("close", closed);
    raw.off("close", closed);
  };
  socket.once("close", closed);
  raw.once("close", closed);
  raw.once("finish", sent);
  return controller.signal;
}

/**
 * Runs once the answer is out or its client has gone, also where it waits behind another answer or where the client went
 * before there was one. Told whether the whole answer was handed to the connection.
 */
export function onceSent(reply: FastifyReply, done: (whole: boolean) => void): void {
  const { socket } = reply.request.raw;
  if (socket.destroyed) return done(false);
  let whole = false;
  let settled = false;
  // Node tells the response of its socket's end while it tells the socket's listeners: both call.
  const settle = () => {
    if (settled) return;
    settled = true;
    socket.off("close", settle);
    reply.raw.off("close", settle);
    done(whole);
  };
  socket.once("close", settle);
  reply.raw.once("close", settle);
  reply.raw.once("finish", () => {
    whole = isIntact(socket);
  });
}

/**
 * Whether bytes that Node says it has written were handed to the operating system. When a connection breaks, Node discards
 * what is pending on it, and then emits `finish` and calls write callbacks without an error all the same.
 */
export function isIntact(socket: Socket): boolean {
  return !socket.destroyed && !socket.errored;
}
