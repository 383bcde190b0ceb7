import type { Socket } from "node:net";

/** Maximum time in which bytes are received and dropped after the last answer. */
export const MAX_LINGER_MS = 2000;

/**
 * Keeps a connection open for reading a little longer after its last answer. If it were closed while the client still sends, the
 * client would get a reset and might lose the answer.
 *
 * Node calls `destroySoon` after an answer with `connection: close`, and its own version closes both directions. There is no
 * other way to send that header and to go on reading.
 */
export function lingerBeforeClose(socket: Socket): void {
  socket.destroySoon = () => endAndLinger(socket);
}

/**
 * Sends a last text, and closes the connection when the client closes its side, at the latest after {@link MAX_LINGER_MS}. A client
 * that never does so would keep it forever.
 */
export function endAndLinger(socket: Socket, text = ""): void {
  if (!socket.writable) return;
  socket.end(text);
  if (socket.readableEnded) return;
  const close = () => void socket.destroy();
  socket.once("end", close);
  socket.resume();
  const timer = setTimeout(close, MAX_LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
