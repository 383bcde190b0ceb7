import type { Socket } from "node:net";
/** `max_connections`: a new connection, because no other was idle. `idle`: an idle connection, to make room for a new one. */
export type OverflowReason = "max_connections" | "idle";
/**
 * Limits the open connections. If there are too many, the one that has been idle longest is closed. Without this, one client could
 * open all connections, send nothing, and lock out every other client.
 *
 * A connection is idle unless it has a request that needs a key, was received completely and was not refused. So neither an
 * incomplete request nor an unread error keeps a connection open. Clients without a key cannot replace all connections of
 * others: they replace their own once half of the connections are theirs.
 */
export declare class ConnectionLimit {
    #private;
    /** Called for each connection that was closed. */
    onOverflow: (reason: OverflowReason) => void;
    constructor(max: number);
    /** Counts a new connection, and closes it or another one if there are too many. */
    add(socket: Socket): void;
    /** The connection begins to handle a request. */
    begin(socket: Socket, needsKey: boolean): void;
    /** The request was received completely. */
    received(socket: Socket): void;
    /**
     * The answer to the request begins. Its status shows whether the key was valid, because a gateway without the admin key does not
     * check keys.
     */
    answering(socket: Socket, statusCode: number): void;
    /** The answer was sent. */
    end(socket: Socket, statusCode: number): void;
}
