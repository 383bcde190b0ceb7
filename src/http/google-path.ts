import type { FastifyRequest } from "fastify";

/** All paths of Google's API, also in absolute form and with the duplicate slashes that routing ignores. */
const GOOGLE_PATH = /^(?:https?:\/\/[^/?#]*)?\/+v1beta(?:[/?#]|$)/;

/** Returns true if the request's path belongs to Google's API, whether there is a route or not. */
export function isGooglePath({ originalUrl }: FastifyRequest): boolean {
  return GOOGLE_PATH.test(originalUrl);
}
