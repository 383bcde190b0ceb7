import { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { errorCodes, type FastifyRequest } from "fastify";
import { native } from "../native/addon.js";

/** Buffers below this size come from Node's pool. */
const POOLED_BYTES = 4 * 1024;

/**
 * Memory for more than this is allocated as the body arrives, because a client may declare a large body and send nothing. A body with an
 * image of 1 MiB, in base64, fits without a copy.
 */
const FIRST_BYTES = 2 << 20;

/**
 * Reads the body of a request into one buffer, with the checks and errors of Fastify's own reader. Fastify's reader keeps all
 * chunks and then copies them, so a body takes twice its size outside V8's heap. Here each chunk is freed when it is copied.
 */
export function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const limit = request.routeOptions.bodyLimit;
  const header = request.headers["content-length"];
  const declared = header === undefined ? undefined : Number(header);
  if (declared !== undefined && declared > limit) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), NO_BYTES);
  // Chunks of a request that a program injects may be its own memory.
  const ownsChunks = payload instanceof IncomingMessage;
  let bytes = allocate(Math.min(declared ?? 0, FIRST_BYTES));
  let length = 0;

  const onData = (chunk: Buffer) => {
    const end = length + chunk.length;
    if (end > limit) return finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    if (end > bytes.length) bytes = grow(bytes, length, Math.max(end, Math.min(2 * bytes.length, declared ?? limit)));
    chunk.copy(bytes, length);
    length = end;
    // A small body shares its memory with the headers and cannot be freed. The addon checks this too, but calling it takes longer.
    if (ownsChunks && chunk.byteLength === chunk.buffer.byteLength) native.freeBytes(chunk);
  };
  const onEnd = () => {
    const isComplete = declared === undefined || declared === length;
    finish(isComplete ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
  };
  const finish = (error: Error | null) => {
    payload.off("data", onData).off("end", onEnd).off("error", onError);
    if (!error) return done(null, length === bytes.length ? bytes : bytes.subarray(0, length));
    native.freeBytes(bytes);
    done(error, NO_BYTES);
  };
  const onError = (error: Error & { statusCode?: number }) => {
    if ((error.statusCode ?? 0) < 400) error.statusCode = 400;
    finish(error);
  };
  payload.on("data", onData).on("end", onEnd).on("error", onError);
}

const NO_BYTES = Buffer.alloc(0);

function allocate(size: number): Buffer {
  return size < POOLED_BYTES ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size);
}

/** Returns a larger buffer with the first `length` bytes. */
function grow(bytes: Buffer, length: number, size: number): Buffer {
  const grown = allocate(size);
  bytes.copy(grown, 0, 0, length);
  native.freeBytes(bytes);
  return grown;
}
