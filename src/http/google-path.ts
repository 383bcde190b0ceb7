import type { FastifyRequest } from "fastify";

/** All paths of Google's API, also in absolute form and with the duplicate slashes that routing ignores. */
const GOOGLE_PATH = /^(?:https?:\/\/[^/?#]*)?\/+v1beta(?:[/?#]|$)/;

/** Returns true if the request's path belongs to Google's API, even if no route has it. */
export function isGooglePath({ originalUrl }: FastifyRequest): boolean {
  return GOOGLE_PATH.test(originalUrl);
}
