import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import fp from "fastify-plugin";
import { waitsForContinue } from "./expect-continue.js";
import { MAX_LINGER_MS } from "./linger.js";

/** Maximum size of a body that Node receives and drops, so that the connection can be used again. */
const SMALL_BODY_BYTES = 64 * 1024;

/** Bytes of an unread body that are received and dropped after the answer. */
const MAX_DROPPED_BYTES = 1 << 20;

/**
 * Limits the unread body of a request that is answered early, such as one without a key. Node would receive the whole body,
 * whatever its size. A large body ends the connection after the answer; a small one must arrive soon.
 */
export const earlyAnswer = fp((app, _options, done) => {
  app.addHook("onSend", ({ raw }, reply, payload, next) => {
    const unread = unreadBytes(raw);
    if (unread > SMALL_BODY_BYTES) {
      void reply.header("connection", "close");
      limitDropped(raw);
    } else if (unread > 0) limitRest(raw);
    next(null, payload);
  });
  done();
});

/** Returns the maximum size of a body that was not received completely; 0 if there is none. */
function unreadBytes(request: IncomingMessage): number {
  const { complete, destroyed, headers, socket } = request;
  // Requests that were injected have no socket of their own.
  if (complete || destroyed || !(socket instanceof Socket)) return 0;
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  const length = Number(headers["content-length"] ?? 0);
  // The client has not sent the body. Its next bytes may be the body or another request.
  return length > 0 && waitsForContinue(request) ? Number.POSITIVE_INFINITY : length;
}

/** Closes the connection if the rest of a small body, which is only dropped, does not arrive soon. */
function limitRest(request: IncomingMessage): void {
  const { socket } = request;
  const timer = setTimeout(() => void socket.destroy(), MAX_LINGER_MS);
  const stop = () => {
    clearTimeout(timer);
    // The connection outlives the request.
    socket.off("close", stop);
  };
  request.once("end", stop);
  socket.once("close", stop);
}

/** Receives and drops the body of a request that is not answered or was answered early. Resets the connection if it is large. */
export function limitDropped(request: IncomingMessage): void {
  const { socket } = request;
  let dropped = 0;
  // Must come before the answer is sent: Node drops a body without a listener, and does not report its size.
  request.on("data", (bytes: Buffer) => {
    dropped += bytes.length;
    if (dropped > MAX_DROPPED_BYTES) socket.destroy();
  });
  request.read(0);
}
