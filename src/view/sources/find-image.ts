import { createHash } from "node:crypto";
import type { BatchTokens } from "../../batch-file/batch-tokens.js";
import { ApiError } from "../../http/errors.js";

/**
 * Returns the file of an image from the first batch that has it.
 *
 * @throws ApiError `not_found`
 */
export async function findImage(batches: readonly BatchTokens[], sha256: string): Promise<Uint8Array> {
  for (const { images } of batches) {
    const bytes = await images.readFile(sha256);
    if (bytes) return checkImage(bytes, sha256);
  }
  throw new ApiError("not_found", "The episode's batch does not have the file of this image.");
}

/**
 * Returns the bytes if they have this digest.
 *
 * @throws ApiError `not_found`
 */
export function checkImage(bytes: Uint8Array, sha256: string): Uint8Array {
  if (createHash("sha256").update(bytes).digest("hex") === sha256) return bytes;
  throw new ApiError("not_found", "The file of this image is damaged: its SHA-256 does not match.");
}
