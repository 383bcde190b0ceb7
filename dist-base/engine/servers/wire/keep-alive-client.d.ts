import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
/** The current connection of a client. */
interface Link {
    socket: Socket | undefined;
}
/**
 * Observes the connection of one request, to tell a stale connection from a failing server. Pass it as the request's
 * `opaque`.
 */
export declare class ConnectionUse {
    #private;
    begin(link: Link): void;
    /** Called when the request's last byte was given to the socket. */
    written(): void;
    /** True once the operating system has taken all bytes of the request. Nothing reads its body any more. */
    get isSent(): boolean;
    /** The server may have received the whole request, or has answered. If false, the request cannot have had an effect. */
    get mayHaveRun(): boolean;
    /**
     * The request used a connection that had served an earlier request, and got no byte back. If it failed within a round
     * trip, the server had most likely closed the idle connection before it saw the request.
     */
    get keptAliveWithoutReply(): boolean;
}
/** An undici client that reports to each request's {@link ConnectionUse} which connection it uses. */
export declare class KeepAliveClient extends Client {
    #private;
    constructor(origin: URL | string, options: Client.Options);
    dispatch(options: Dispatcher.DispatchOptions & {
        readonly opaque?: unknown;
    }, handler: Dispatcher.DispatchHandler): boolean;
}
export {};
