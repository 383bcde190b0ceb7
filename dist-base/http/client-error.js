import { STATUS_CODES } from "node:http";
import { ApiError } from "./errors.js";
import { keepAnswering } from "./keep-answering.js";
/**
 * Answers requests that are not valid HTTP or that came too slowly, and closes the connection. Node reports these on the
 * socket, before there is a request or a reply, so the response is written by hand, with the same body as other errors. It is
 * sent after the answers to earlier requests of the connection.
 */
export function answerClientError(error, socket, connections) {
    if (error.code === "ECONNRESET" || !socket.writable)
        socket.destroy();
    else
        connections.endWith(socket, formatResponse(toClientError(error)));
}
/**
 * Refuses a CONNECT request, and closes the connection. Earlier requests of the connection are answered first. Node reports the request
 * with the bare socket, as for a proxy that opens tunnels.
 */
export function refuseTunnel(socket, connections) {
    keepAnswering(socket);
    connections.endWith(socket, formatResponse(tunnelError(), `allow: ${METHODS}\r\n`));
}
const METHODS = "GET, HEAD, POST, DELETE";
/** Returns the error that answers CONNECT requests. */
export function tunnelError() {
    return new ApiError("method_not_allowed", `The method must be one of ${METHODS}; received CONNECT. This server is not a proxy for other addresses: ` +
        "set it as the base URL of the client, not as HTTP_PROXY or HTTPS_PROXY.");
}
function formatResponse(apiError, headers = "") {
    const { statusCode } = apiError;
    const body = JSON.stringify(apiError.toBody());
    return (`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nconnection: close\r\n${headers}` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
/** Returns the error to send for an error that Node reports on the socket. */
export function toClientError({ code }) {
    if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
        return new ApiError("request_timeout", "The request was not received in time.");
    }
    if (code === "HPE_HEADER_OVERFLOW")
        return new ApiError("headers_too_large", "The request headers are too large.");
    return new ApiError("malformed_request", "The request is not valid HTTP.");
}
//# sourceMappingURL=client-error.js.map