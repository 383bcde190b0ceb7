import type { Socket } from "node:net";
import type { Connections } from "./connections/connections.js";
import { ApiError } from "./errors.js";
/**
 * Answers requests that are not valid HTTP or that came too slowly, and closes the connection. Node reports these on the
 * socket, before there is a request or a reply, so the response is written by hand, with the same body as other errors. It is
 * sent after the answers to earlier requests of the connection.
 */
export declare function answerClientError(error: Error & {
    code?: string;
}, socket: Socket, connections: Connections): void;
/**
 * Refuses a CONNECT request, and closes the connection. Earlier requests of the connection are answered first. Node reports the request
 * with the bare socket, as for a proxy that opens tunnels.
 */
export declare function refuseTunnel(socket: Socket, connections: Connections): void;
/** Returns the error that answers CONNECT requests. */
export declare function tunnelError(): ApiError;
/** Returns the error to send for an error that Node reports on the socket. */
export declare function toClientError({ code }: Error & {
    code?: string | undefined;
}): ApiError;
