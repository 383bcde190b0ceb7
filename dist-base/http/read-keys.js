import { isGooglePath } from "./google-path.js";
const BEARER = /^bearer +(\S+) *$/i;
/** Message of the error `missing_api_key`. */
export const MISSING_KEY = "The request has no key. Send `Authorization: Bearer KEY`, `x-api-key: KEY` or `x-goog-api-key: KEY`.";
/**
 * Returns the API keys of a request, the Bearer key first. An agent's SDK can send two: the session key, and a token of the
 * user's own account that is meant for another service.
 */
export function readKeys(request) {
    const { authorization, "x-api-key": apiKey, "x-goog-api-key": googleKey } = request.headers;
    const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    return [bearer, apiKey, googleKey, ...readQueryKeys(request)].filter((key) => typeof key === "string" && key !== "");
}
/** Clients of Google's API may send the key in the query: `?key=KEY`. Proxies log queries, so other APIs do not accept a key there. */
function readQueryKeys(request) {
    if (!isGooglePath(request))
        return [];
    const { key } = request.query;
    return [key].flat();
}
//# sourceMappingURL=read-keys.js.map