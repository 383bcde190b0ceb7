import type { FastifyReply } from "fastify";
import { ImageFileError, readImageFile } from "../../conversation/image-file.js";
import { ApiError } from "../../http/errors.js";

/** The file comes from an agent. A browser that opens it on its own must treat it as an image only. */
const HEADERS = {
  "content-security-policy": "sandbox; default-src 'none'",
  "content-disposition": "inline",
  // The address contains the digest of the file, so the content never changes.
  "cache-control": "private, max-age=31536000, immutable",
  // A browser that has lost the key or the cookie must not read the file from its cache.
  vary: "authorization, cookie",
} as const;

/**
 * Sends the file of an image. Its content type is the one that {@link readImageFile} finds in the bytes.
 *
 * @throws ApiError `not_found` if the bytes are not an image of a known type
 */
export function sendImage(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  // Throws before the headers are set, because an error must not have them.
  const mediaType = requireMediaType(bytes);
  return reply
    .headers(HEADERS)
    .type(mediaType)
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function requireMediaType(bytes: Uint8Array): string {
  try {
    return readImageFile(bytes).mediaType;
  } catch (error) {
    if (!(error instanceof ImageFileError)) throw error;
    throw new ApiError("not_found", `The file of this image cannot be shown: ${error.message}.`, { cause: error });
  }
}
