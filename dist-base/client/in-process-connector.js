import { duplexPair } from "node:stream";
/**
 * Returns a connector to an HTTP server in this process. A connection is a pair of streams in memory, so the server need not
 * listen.
 */
export function inProcessConnector(server) {
    return (_options, callback) => {
        const [near, far] = duplexPair();
        closeTogether(near, far);
        closeTogether(far, near);
        server.emit("connection", far);
        // Sockets never connect synchronously, and the client is not ready for it.
        queueMicrotask(() => callback(null, asSocket(near)));
    };
}
/** Closes one end when the other closes, as sockets do. */
function closeTogether(one, other) {
    one.once("close", () => other.destroy());
    // The owner of this end handles the error. Without a listener it would end the process.
    one.on("error", () => { });
}
/** Adds the socket methods that an HTTP client calls. They do nothing: a stream in memory never keeps the process alive. */
function asSocket(stream) {
    const itself = () => stream;
    return Object.assign(stream, { ref: itself, unref: itself, setKeepAlive: itself, setNoDelay: itself });
}
//# sourceMappingURL=in-process-connector.js.map