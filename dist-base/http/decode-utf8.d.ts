import type { Steps } from "../support/async/steps.js";
/**
 * Decodes a complete body.
 *
 * @throws ApiError `invalid_json` if the bytes are not UTF-8. Without this check, decoding would replace them silently.
 */
export declare function decodeUtf8(bytes: Buffer): Steps<string>;
