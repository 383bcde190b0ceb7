import type { FastifyRequest } from "fastify";

/** The first part of a path, also in absolute form and after the duplicate slashes that routing ignores. */
const FIRST_PART = /^(?:https?:\/\/[^/?#]*)?\/+([^/?#]*)/;

/** The path of a model's method below /v1. Only the method shows that it is Google's, because other APIs also use /v1. */
const METHOD_BELOW_V1 = /^(?:https?:\/\/[^/?#]*)?\/+v1\/+models\/[^?#]+(?::|%3a)[a-z]+(?:[?#]|$)/i;

/** Returns true if the request's path belongs to Google's API, even if no route has it. */
export function isGooglePath({ originalUrl }: FastifyRequest): boolean {
  const part = FIRST_PART.exec(originalUrl)?.[1];
  return part !== undefined && (decode(part) === "v1beta" || METHOD_BELOW_V1.test(originalUrl));
}

/** Decodes a part of a path as routing does. A malformed part stays as it is. */
function decode(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
