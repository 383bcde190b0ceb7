import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { ApiError } from "./errors.js";
declare module "fastify" {
    interface FastifyReply {
        /** Null until {@link onResponseClose} is called. Fields take less time than WeakMaps, which garbage collection has to follow. */
        responseEnd: ResponseEnd | null;
        /** Null until {@link clientOf} is called. */
        client: Client | null;
    }
}
/** How a response ended, and who waits for it. */
export declare class ResponseEnd {
    #private;
    constructor({ raw, request }: FastifyReply);
    listen(listener: (complete: boolean) => void): void;
}
/**
 * Calls `done` once: when the response was sent, or when the client disconnected. It also calls `done` for a response that
 * is queued behind another one, and for a client that disconnected before there was a response.
 *
 * @param done receives true if the whole response was handed to the connection
 */
export declare function onResponseClose(reply: FastifyReply, done: (complete: boolean) => void): void;
/** The client of a request, which may disconnect before the response was sent. */
export declare class Client {
    #private;
    /**
     * A client that closed its side may still read. To find out, the server sends it `100 Continue` until the response begins. Every
     * client has to ignore that. If the client is gone, its system answers with a reset. Clients of HTTP/1.0 do not know `100
     * Continue`, so a closed side counts as a disconnect for them.
     */
    constructor(reply: FastifyReply);
    /** The error with which the client's request ends. Undefined while the client is connected. */
    get goneReason(): ApiError | undefined;
    /** Calls `listener` when the client disconnects, and immediately if it has. */
    onGone(listener: (reason: ApiError) => void): void;
}
/** Returns the client of a response. All callers share it. */
export declare function clientOf(reply: FastifyReply): Client;
/** Returns a signal that aborts if the client disconnects before the response was sent. */
export declare function disconnectSignal(reply: FastifyReply): AbortSignal;
/**
 * Returns true if bytes that Node reports as written reached the operating system. When a connection breaks, Node discards
 * pending bytes, but still emits `finish` and calls the write callbacks without an error.
 */
export declare function isIntact(socket: Socket): boolean;
