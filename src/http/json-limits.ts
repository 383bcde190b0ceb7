import { native } from "../native/addon.js";
import type { JsonExcess, JsonLimits, NativeJsonCheck } from "../native/contract.js";
import { groupDigits } from "../support/group-digits.js";
import { ApiError } from "./errors.js";

/**
 * Limits of bodies that come with the admin key. They are wide, because an export may name many sessions. They need not
 * protect against attacks: a client with the admin key can stop the server in simpler ways.
 */
export const CONTROL_LIMITS: JsonLimits = { depth: 64, values: 2_000_000, keys: 4096, lists: {} };

/** Smaller bodies are scanned immediately, because a worker thread would take longer to start. */
const SCAN_ON_LOOP_BYTES = 256 * 1024;

/** One check for each limits object. A server has few of them. */
const checks = new WeakMap<JsonLimits, NativeJsonCheck>();

function checkOf(limits: JsonLimits): NativeJsonCheck {
  const known = checks.get(limits);
  if (known) return known;
  const check = new native.JsonCheck(limits);
  checks.set(limits, check);
  return check;
}

/**
 * Checks a JSON body against limits before anything is built from it: parsing, checking and rendering take time for each
 * value of the body, and a scan of its bytes is much faster. The same scan finds keys that could change an object's prototype,
 * so `JSON.parse` can be used without a check of its own. Image data of a body may have been decoded before, which takes time for its
 * bytes only.
 *
 * @param limits pass the same object for every body of a kind, because each new object is read into a new check
 * @returns a promise if the body is scanned on a worker thread
 * @throws ApiError `body_too_complex` or `invalid_json`, also as a rejection
 */
export function checkJsonLimits(json: Uint8Array, limits: JsonLimits): Promise<void> | undefined {
  if (json.length >= SCAN_ON_LOOP_BYTES) return checkOf(limits).findExcessAsync(json).then(refuse);
  refuse(checkOf(limits).findExcess(json));
  return undefined;
}

function refuse(excess: JsonExcess | undefined): void {
  if (!excess) return;
  if (excess.limit === "prototype") {
    const keys = "`__proto__`, or `prototype` in an object `constructor`";
    throw new ApiError("invalid_json", `The body has a key that could change an object's prototype: ${keys}.`);
  }
  const param = excess.limit === "items" ? excess.list : undefined;
  throw new ApiError("body_too_complex", describe(excess), { param });
}

function describe(excess: Exclude<JsonExcess, { limit: "prototype" }>): string {
  const allowed = groupDigits(excess.allowed);
  switch (excess.limit) {
    case "depth":
      return `The body has arrays and objects in more than ${allowed} levels.`;
    case "values":
      return `The body has more than ${allowed} JSON values.`;
    case "keys":
      return `An object of the body has more than ${allowed} keys.`;
    case "word":
      return `A key or a number of the body has more than ${allowed} bytes.`;
    case "items":
      return `\`${excess.list}\` must have at most ${allowed} items.`;
  }
}
