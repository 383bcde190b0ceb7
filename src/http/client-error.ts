import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Connections } from "./connections/connections.js";
import { ApiError } from "./errors.js";

/**
 * Answers requests that are not valid HTTP or that came too slowly, and closes the connection. Node reports these on the
 * socket, before there is a request or a reply, so the response is written by hand, with the same body as other errors.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket, connections: Connections): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else connections.endWith(socket, formatResponse(toSocketApiError(error)));
}

function formatResponse(apiError: ApiError): string {
  const { statusCode } = apiError;
  const body = JSON.stringify(apiError.toBody());
  return (
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\nconnection: close\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** Returns the error to send for an error that Node reports on the socket. */
export function toSocketApiError({ code }: Error & { code?: string | undefined }): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ApiError("request_timeout", "The request was not received in time.");
  }
  if (code === "HPE_HEADER_OVERFLOW") return new ApiError("headers_too_large", "The request headers are too large.");
  return new ApiError("malformed_request", "The request is not valid HTTP.");
}
