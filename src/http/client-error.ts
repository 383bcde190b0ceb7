import type { Socket } from "node:net";
import { ApiError } from "./errors.js";

/** Answers what is not HTTP, or came too slowly, in the shape of every other error, and closes the connection. */
export function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = toApiError(error.code);
  const body = JSON.stringify(known.toBody());
  socket.end(
    `HTTP/1.1 ${known.statusCode} ${STATUS_TEXT[known.statusCode] ?? "Bad Request"}\r\nconnection: close\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function toApiError(code: string | undefined): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("request_timeout", "The request did not come in time.");
  if (code === "HPE_HEADER_OVERFLOW") return new ApiError("headers_too_large", "The request's headers are too large.");
  return new ApiError("malformed_request", "This is not a valid HTTP request.");
}
