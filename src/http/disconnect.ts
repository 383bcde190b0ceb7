import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { ApiError } from "./errors.js";
import { onHalfOpen } from "./half-open.js";

const signals = new WeakMap<FastifyReply, AbortSignal>();

/**
 * Returns a signal that aborts if the client disconnects before the response was sent. All calls for one response share it.
 *
 * It listens to the socket as well as to the response, because the response of a request that waits gets no event when the
 * connection closes.
 *
 * A client that closed its side may still read. To find out, the server sends it `100 Continue` until the response begins. Every
 * client has to ignore that. If the client is gone, its system answers with a reset. Clients of HTTP/1.0 do not know `100
 * Continue`, so a closed side counts as a disconnect for them.
 */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply);
  if (known) return known;
  const signal = watchClient(reply);
  signals.set(reply, signal);
  return signal;
}

function watchClient(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { raw } = reply;
  const { socket, httpVersion } = reply.request.raw;
  const onClose = () => {
    stopListening();
    controller.abort(new ApiError("call_aborted", "The client closed its connection."));
  };
  const onFinish = () => {
    if (isIntact(socket)) stopListening();
  };
  const stopProbing = onHalfOpen(reply, () => {
    if (httpVersion === "1.0") socket.destroy();
    else if (!raw.headersSent) raw.writeContinue();
  });
  const stopListening = () => {
    stopProbing();
    socket.off("close", onClose);
    raw.off("close", onClose);
  };
  socket.once("close", onClose);
  raw.once("close", onClose);
  raw.once("finish", onFinish);
  return controller.signal;
}

/**
 * Calls `done` once: when the response was sent, or when the client disconnected. It also calls `done` for a response that
 * is queued behind another one, and for a client that disconnected before there was a response.
 *
 * @param done receives true if the whole response was handed to the connection
 */
export function onResponseClose(reply: FastifyReply, done: (complete: boolean) => void): void {
  const { socket } = reply.request.raw;
  if (socket.destroyed) return done(false);
  let complete = false;
  let called = false;
  // `off` alone is not enough: Node emits `close` on the response while it emits `close` on the socket. A listener of the
  // socket that is removed in between is still called.
  const onClose = () => {
    if (called) return;
    called = true;
    socket.off("close", onClose);
    reply.raw.off("close", onClose);
    done(complete);
  };
  socket.once("close", onClose);
  reply.raw.once("close", onClose);
  reply.raw.once("finish", () => {
    complete = isIntact(socket);
  });
}

/**
 * Returns true if bytes that Node reports as written reached the operating system. When a connection breaks, Node discards
 * pending bytes, but still emits `finish` and calls the write callbacks without an error.
 */
export function isIntact(socket: Socket): boolean {
  return !socket.destroyed && !socket.errored;
}
