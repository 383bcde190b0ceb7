/** Maximum time in which bytes are received and dropped after the last answer. */
export const MAX_LINGER_MS = 1000;
/**
 * Keeps a connection open for reading a little longer after its last answer. If it were closed at once while the client still
 * sends, it would be reset, and the client would not see the answer.
 *
 * The connection closes when the client closes its side, or when time is up.
 *
 * @param watchRequest may call `close` earlier, once nothing more is expected from the client
 */
export function lingerBeforeClose(socket, watchRequest) {
    // Node calls this once the last answer was written. Its own version closes both directions.
    socket.destroySoon = () => {
        const close = endAndLinger(socket);
        watchRequest?.(close);
    };
}
/**
 * Sends a last text and closes the connection when the client closes its side, or a little later: a client that never does
 * would keep it forever.
 *
 * @returns a function that closes the connection now
 */
export function endAndLinger(socket, text = "") {
    socket.end(text);
    const close = () => void socket.destroy();
    socket.once("end", close);
    socket.resume();
    const timer = setTimeout(close, MAX_LINGER_MS);
    socket.once("close", () => clearTimeout(timer));
    return close;
}
//# sourceMappingURL=linger.js.map