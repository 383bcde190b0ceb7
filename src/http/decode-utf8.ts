import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { turns } from "../support/async/turns.js";
import { ApiError } from "./errors.js";

/** Bytes that are decoded in one iteration of the event loop. This takes up to about 30 ms on a slow core. */
const SLICE_BYTES = 4 << 20;

/**
 * Decodes a complete body.
 *
 * @throws ApiError `invalid_json` if the bytes are not UTF-8. Without this check, decoding would replace them silently.
 */
export function decodeUtf8(bytes: Buffer): string {
  return requireUtf8(bytes.toString(), bytes);
}

/** Decodes like {@link decodeUtf8}, but lets other work run between the slices of a very large body. */
export async function decodeUtf8InTurns(bytes: Buffer): Promise<string> {
  if (bytes.length <= SLICE_BYTES) return decodeUtf8(bytes);
  const decoder = new StringDecoder("utf8");
  let text = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += decoder.write(bytes.subarray(at, at + SLICE_BYTES));
    await turns.next();
  }
  return requireUtf8(text + decoder.end(), bytes);
}

function requireUtf8(text: string, bytes: Buffer): string {
  // Invalid bytes are decoded as U+FFFD. Only a text that contains it needs the second check.
  if (text.includes("\uFFFD") && !isUtf8(bytes)) throw new ApiError("invalid_json", "The body is not valid UTF-8.");
  return text;
}
