import type { Socket } from "node:net";

/** Maximum time in which bytes are received and dropped after the last answer. */
const MAX_LINGER_MS = 1000;

/**
 * Keeps a connection open for reading a little longer after its last answer. If it were closed at once while the client still
 * sends, it would be reset, and the client would not see the answer.
 *
 * The connection closes when the client closes its side, or when time is up.
 *
 * @param watchRequest may call `close` earlier, once nothing more is expected from the client
 */
export function lingerBeforeClose(socket: Socket, watchRequest?: (close: () => void) => void): void {
  // Node calls this once the last answer was written. Its own version closes both directions.
  socket.destroySoon = () => {
    socket.end();
    const close = () => void socket.destroy();
    socket.once("end", close);
    watchRequest?.(close);
    socket.resume();
    const timer = setTimeout(close, MAX_LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
  };
}
