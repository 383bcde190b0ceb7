import type { App } from "../../http/app-type.js";

/** The page loads only its own files and talks only to its own server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // `data:` is the icon of the page, `blob:` the images of messages, which the page requests with its key.
  "img-src blob: data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Adds the security headers to every answer of the application or of the plugin, errors included. Headers that a route has set stay. */
export function secureHeaders(app: App): void {
  // Not `onRequest`: a hook that was added before may have refused the request already.
  app.addHook("onSend", (_request, reply, payload, next) => {
    for (const [name, value] of Object.entries(HEADERS)) if (!reply.hasHeader(name)) void reply.header(name, value);
    next(null, payload);
  });
}
