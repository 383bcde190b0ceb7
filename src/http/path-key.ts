import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { ApiError } from "./errors.js";

/** `/s/{key}/rest`, also in absolute form and with the duplicate slashes that routing ignores. */
const PATH_KEY = /^(https?:\/\/[^/?#]*)?\/+s\/+([^/?#]+)(\/[^?#]*)?(.*)$/is;
const VISIBLE = /^[\x21-\x7e]+$/;

/** The targets of requests that are routed again with another one. */
const firstTargets = new WeakMap<IncomingMessage, string>();

/** Routes a request with another target from now on. Its errors are still those of the API that its own target belongs to. */
export function replaceTarget(raw: IncomingMessage, target: string): void {
  firstTargets.set(raw, raw.url ?? "/");
  raw.url = target;
}

/** Requests whose key was in their path. */
const withPathKey = new WeakSet<IncomingMessage>();

/**
 * Moves a key from the path of a request into its headers, for programs that can only set a base URL. The rest of the server never sees
 * the key in a path, so it reaches no log, metric or other server. Keys in the headers are replaced, because they are placeholders.
 *
 * Call this before routing.
 *
 * @returns the target without the key
 */
export function takePathKey(raw: IncomingMessage): string {
  const { url = "/" } = raw;
  const first = firstTargets.get(raw);
  // Fastify has set it to the target with which the request is routed again.
  if (first !== undefined) Object.assign(raw, { originalUrl: first });
  const found = PATH_KEY.exec(url);
  if (!found) return url;
  const [, origin = "", encoded = "", path = "/", rest = ""] = found;
  const target = `${origin}${path}${rest}`;
  // Fastify has set it to the target with the key.
  Object.assign(raw, { originalUrl: target });
  const { "x-api-key": _, "x-goog-api-key": _google, ...headers } = raw.headers;
  raw.headers = { ...headers, authorization: `Bearer ${decodeKey(encoded)}` };
  withPathKey.add(raw);
  return target;
}

/** Returns true if the key of the request was in its path. Such a key cannot be the admin key: other programs log paths. */
export function hasPathKey({ raw }: FastifyRequest): boolean {
  return withPathKey.has(raw);
}

export function adminKeyInPath(): ApiError {
  const message = "The admin key must not be in the path of a request, because paths are logged. Send it in a header.";
  return new ApiError("wrong_key_kind", message);
}

/** Decodes a key. A key with characters that a header cannot have stays encoded, so it matches no known key. */
function decodeKey(encoded: string): string {
  if (!encoded.includes("%")) return encoded;
  try {
    const key = decodeURIComponent(encoded);
    return VISIBLE.test(key) ? key : encoded;
  } catch {
    return encoded;
  }
}
