import type { JsonLimits } from "../native/contract.js";
/**
 * Limits of bodies that come with the admin key. They are wide, because an export may name many sessions. They need not
 * protect against attacks: a client with the admin key can stop the server in simpler ways.
 */
export declare const CONTROL_LIMITS: JsonLimits;
/**
 * Checks a JSON body against limits before anything is built from it: parsing, checking and rendering take time for each
 * value of the body, and a scan of its bytes is much faster. The same scan finds keys that could change an object's prototype,
 * so `JSON.parse` can be used without a check of its own.
 *
 * @returns a promise if the body is scanned on a worker thread
 * @throws ApiError `body_too_complex` or `invalid_json`, also as a rejection
 */
export declare function checkJsonLimits(json: Uint8Array, limits: JsonLimits): Promise<void> | undefined;
