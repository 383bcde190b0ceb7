import type { Socket } from "node:net";
/** Maximum time in which bytes are received and dropped after the last answer. */
export declare const MAX_LINGER_MS = 1000;
/**
 * Keeps a connection open for reading a little longer after its last answer. If it were closed at once while the client still
 * sends, it would be reset, and the client would not see the answer.
 *
 * The connection closes when the client closes its side, or when time is up.
 *
 * @param watchRequest may call `close` earlier, once nothing more is expected from the client
 */
export declare function lingerBeforeClose(socket: Socket, watchRequest?: (close: () => void) => void): void;
/**
 * Sends a last text and closes the connection when the client closes its side, or a little later: a client that never does
 * would keep it forever.
 *
 * @returns a function that closes the connection now
 */
export declare function endAndLinger(socket: Socket, text?: string): () => void;
