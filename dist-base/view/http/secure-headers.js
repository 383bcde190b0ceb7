/** The page loads only its own files and talks only to its own server. */
const CONTENT_SECURITY_POLICY = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
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
};
/** Adds the security headers to every answer of the application or of the plugin, errors included. */
export function secureHeaders(app) {
    // Not `onRequest`: a hook that was added before may have refused the request already.
    app.addHook("onSend", (_request, reply, payload, next) => {
        void reply.headers(HEADERS);
        next(null, payload);
    });
}
//# sourceMappingURL=secure-headers.js.map