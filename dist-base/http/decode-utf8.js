import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import { ApiError } from "./errors.js";
/** Number of bytes that are decoded in one step. This takes up to about 15 ms on a slow core. */
const SLICE_BYTES = 2 << 20;
/**
 * Decodes a complete body.
 *
 * @throws ApiError `invalid_json` if the bytes are not UTF-8. Without this check, decoding would replace them silently.
 */
export function* decodeUtf8(bytes) {
    if (bytes.length <= SLICE_BYTES)
        return requireUtf8(bytes.toString(), bytes);
    const decoder = new StringDecoder("utf8");
    let text = "";
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
        text += decoder.write(bytes.subarray(at, at + SLICE_BYTES));
        yield;
    }
    return requireUtf8(text + decoder.end(), bytes);
}
function requireUtf8(text, bytes) {
    // Invalid bytes are decoded as U+FFFD. Only a text that contains it needs the second check.
    if (text.includes("\uFFFD") && !isUtf8(bytes))
        throw new ApiError("invalid_json", "The body is not valid UTF-8.");
    return text;
}
//# sourceMappingURL=decode-utf8.js.map