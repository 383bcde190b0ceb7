/** Scheme and host of a request in absolute form, `GET http://host/path`. Servers must accept this form (RFC 9112, 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*/i;
/**
 * Returns path and query of a request, byte for byte. `URL` would resolve `..`, so that a path without a route here could match a
 * control route on the worker.
 */
export function readTarget({ url }) {
    const target = url.replace(ORIGIN, "");
    return target.startsWith("/") ? target : `/${target}`;
}
//# sourceMappingURL=request-target.js.map