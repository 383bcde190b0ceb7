import { Server, Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type CutAnswer } from "./answer.js";
import { ConnectionLimit } from "./connection-limit.js";
declare module "fastify" {
    interface FastifyInstance {
        connections: Connections;
    }
}
export interface ConnectionsOptions {
    /** Maximum number of open connections. */
    readonly maxConnections: number;
    /** How many requests of one connection may wait for the answers before them. */
    readonly maxWaiting: number;
    /** Returns true if the request's route is only for clients with a key. */
    readonly needsKey: (request: FastifyRequest) => boolean;
}
/** The connections of a server on which a request was received, and their open answers. */
export declare class Connections {
    #private;
    /** Counts all open connections, also those without a request. */
    readonly limit: ConnectionLimit;
    constructor(server: Server, options: ConnectionsOptions);
    get size(): number;
    /** Number of requests whose answers were not sent yet. */
    get openAnswers(): number;
    /** Calls `start` when it is the request's turn on its connection. Never calls it if the connection closes first. */
    accept(request: FastifyRequest, reply: FastifyReply, start: () => void): void;
    /** Sends a text after the answers to earlier requests, and closes the connection. */
    endWith(socket: Socket, text: string): void;
    /** Adds a server that passes its connections to the HTTP server, and closes it together with that server. */
    addServer(server: Server): void;
    /**
     * Stops accepting connections. `http.Server.close` would also close connections whose last answer is still in the socket's
     * buffer.
     */
    stopListening(): void;
    /** Closes idle connections now, and every other connection after its answer in progress. */
    closeSoon(): void;
    /** Closes every connection with an open answer, and returns these answers. */
    cut(): CutAnswer[];
    /**
     * Closes every connection whose client stopped reading its answer this long ago. Returns the answers that were cut, one for each
     * connection. Call this at short intervals.
     */
    cutUnread(milliseconds: number): CutAnswer[];
    /** Closes all connections now. */
    destroy(): void;
}
