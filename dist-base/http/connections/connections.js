import { Server, Socket } from "node:net";
import { endAndLinger } from "../linger.js";
import { Answer } from "./answer.js";
import { Connection } from "./connection.js";
import { ConnectionLimit } from "./connection-limit.js";
import { WaitingMemory } from "./waiting-memory.js";
/** The connections of a server on which a request was received, and their open answers. */
export class Connections {
    #server;
    /** Servers that pass their connections to it. */
    #otherServers = [];
    #options;
    /** Counts all open connections, also those without a request. */
    limit;
    #bySocket = new Map();
    #memory = new WaitingMemory();
    #closing = false;
    constructor(server, options) {
        this.#server = server;
        this.#options = options;
        this.limit = new ConnectionLimit(options.maxConnections);
        // Connections in this process are no sockets.
        server.on("connection", (socket) => socket instanceof Socket && this.limit.add(socket));
    }
    get size() {
        return this.#bySocket.size;
    }
    /** Number of requests whose answers were not sent yet. */
    get openAnswers() {
        let count = 0;
        for (const connection of this.#bySocket.values())
            count += connection.openAnswers.length;
        return count;
    }
    /** Calls `start` when it is the request's turn on its connection. Never calls it if the connection closes first. */
    accept(request, reply, start) {
        const { socket } = request.raw;
        // Requests that were injected have no socket of their own.
        if (!(socket instanceof Socket))
            return start();
        const answer = new Answer(request, reply, this.#options.needsKey(request));
        this.#find(socket).accept(answer, start);
    }
    /** Sends a text after the answers to earlier requests, and closes the connection. */
    endWith(socket, text) {
        const connection = this.#bySocket.get(socket);
        if (connection)
            connection.endWith(text);
        else
            endAndLinger(socket, text);
    }
    /** Adds a server that passes its connections to the HTTP server, and closes it together with that server. */
    addServer(server) {
        this.#otherServers.push(server);
        this.#server.once("close", () => this.#closeOthers());
    }
    /**
     * Stops accepting connections. `http.Server.close` would also close connections whose last answer is still in the socket's
     * buffer.
     */
    stopListening() {
        if (this.#server.listening)
            Server.prototype.close.call(this.#server);
        this.#closeOthers();
    }
    /** Closes idle connections now, and every other connection after its answer in progress. */
    closeSoon() {
        this.#closing = true;
        for (const connection of this.#bySocket.values())
            connection.closeSoon();
    }
    /** Closes every connection with an open answer, and returns these answers. */
    cut() {
        const cut = [];
        for (const [socket, { openAnswers }] of this.#bySocket) {
            if (openAnswers.length === 0)
                continue;
            cut.push(...openAnswers.map((answer) => answer.describe()));
            socket.destroy();
        }
        return cut;
    }
    /**
     * Closes every connection whose client stopped reading its answer this long ago. Returns the answers that were cut, one for each
     * connection. Call this at short intervals.
     */
    cutUnread(milliseconds) {
        const now = performance.now();
        const cut = [];
        for (const [socket, connection] of this.#bySocket) {
            const answer = connection.findUnread(milliseconds, now);
            if (!answer)
                continue;
            cut.push(answer.describe());
            socket.destroy();
        }
        return cut;
    }
    /** Closes all connections now. */
    destroy() {
        for (const socket of this.#bySocket.keys())
            socket.destroy();
    }
    #closeOthers() {
        for (const server of this.#otherServers.splice(0))
            server.close();
    }
    #find(socket) {
        const known = this.#bySocket.get(socket);
        if (known)
            return known;
        const limits = { maxWaiting: this.#options.maxWaiting, memory: this.#memory, connections: this.limit };
        const connection = new Connection(socket, limits, this.#closing);
        this.#bySocket.set(socket, connection);
        socket.on("close", () => {
            this.#bySocket.delete(socket);
            connection.dropWaiting();
        });
        return connection;
    }
}
//# sourceMappingURL=connections.js.map