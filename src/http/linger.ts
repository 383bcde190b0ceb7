import type { Socket } from "node:net";

/** Longest time for which bytes are received and dropped after the last answer. */
const MAX_LINGER_MS = 1000;

/**
 * Keeps a connection open for reading a little longer after its last answer. Closed at once, with bytes on their way, it would
 * be reset, and the client would not see the answer.
 *
 * @param received resolves when nothing more is expected from the client. Default: when the client closes its side.
 */
export function lingerBeforeClose(socket: Socket, received?: (close: () => void) => void): void {
  // Node calls this once the last answer was written. Its own version closes both directions.
  socket.destroySoon = () => {
    socket.end();
    const close = () => void socket.destroy();
    socket.once("end", close);
    received?.(close);
    socket.resume();
    const timer = setTimeout(close, MAX_LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  };
}
