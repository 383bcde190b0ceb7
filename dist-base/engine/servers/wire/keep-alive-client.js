import { buildConnector, Client } from "undici";
/**
 * If the server had already closed a connection, the failure shows within a round trip. A later failure means that the
 * server was working on the request and died, or that a load balancer timed out.
 */
const STALE_WITHIN_MS = 5_000;
/**
 * Observes the connection of one request, to tell a stale connection from a failing server. Pass it as the request's
 * `opaque`.
 */
export class ConnectionUse {
    #link;
    /** The client's connection when it took the request. The client may replace it before it sends the request. */
    #before;
    #wasOpen = false;
    #bytesBefore = 0;
    #begunAt = 0;
    #sent = false;
    begin(link) {
        this.#link = link;
        this.#sent = false;
        this.#begunAt = performance.now();
        this.#before = link.socket;
        this.#wasOpen = link.socket?.destroyed === false;
        this.#bytesBefore = link.socket?.bytesRead ?? 0;
    }
    /** Called when the request's last byte was given to the socket. */
    written() {
        const socket = this.#link?.socket;
        // Usually the operating system has taken all bytes of the request by now. A socket that broke has dropped them.
        if (socket?.writableLength === 0) {
            this.#sent = !socket.destroyed && !socket.errored;
            return;
        }
        // This empty write completes after it has taken the rest.
        socket?.write("", (error) => {
            if (!error)
                this.#sent = true;
        });
    }
    /** True once the operating system has taken all bytes of the request. Nothing reads its body any more. */
    get isSent() {
        return this.#sent;
    }
    /** The server may have received the whole request, or has answered. If false, the request cannot have had an effect. */
    get mayHaveRun() {
        const socket = this.#link?.socket;
        const before = socket === this.#before ? this.#bytesBefore : 0;
        return this.#sent || (socket?.bytesRead ?? 0) > before;
    }
    /**
     * The request used a connection that had served an earlier request, and got no byte back. If it failed within a round
     * trip, the server had most likely closed the idle connection before it saw the request.
     */
    get keptAliveWithoutReply() {
        const socket = this.#link?.socket;
        if (!this.#wasOpen || !socket || socket !== this.#before)
            return false;
        if (performance.now() - this.#begunAt > STALE_WITHIN_MS)
            return false;
        return this.#bytesBefore > 0 && socket.bytesRead === this.#bytesBefore;
    }
}
/** An undici client that reports to each request's {@link ConnectionUse} which connection it uses. */
export class KeepAliveClient extends Client {
    #link;
    constructor(origin, options) {
        const link = { socket: undefined };
        const connect = typeof options.connect === "function" ? options.connect : buildConnector(options.connect ?? {});
        super(origin, {
            ...options,
            connect: (target, callback) => connect(target, (...[error, socket]) => {
                if (error)
                    return callback(error, null);
                link.socket = socket;
                callback(null, socket);
            }),
        });
        this.#link = link;
    }
    dispatch(options, handler) {
        if (options.opaque instanceof ConnectionUse)
            options.opaque.begin(this.#link);
        return super.dispatch(options, handler);
    }
}
//# sourceMappingURL=keep-alive-client.js.map