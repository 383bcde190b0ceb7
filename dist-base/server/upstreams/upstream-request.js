import { readKeys } from "../../http/read-keys.js";
import { findString } from "../../support/json/elements.js";
import { toUpstreamHeaders } from "./forwarded-headers.js";
import { findKeys } from "./key-finder.js";
/**
 * Returns a call as it is sent to an upstream: with the upstream's address, key and model name, and with the bytes of its body as they
 * were received.
 */
export function toUpstreamRequest({ url, apiKey, model }, endpoint, request, json) {
    const base = new URL(url);
    const holdsKey = findKeys(readKeys(request));
    const header = endpoint.startsWith("messages") ? "x-api-key" : "authorization";
    return {
        origin: base.origin,
        path: `${readBasePath(base)}/${endpoint}${readQuery(request, holdsKey)}`,
        headers: toUpstreamHeaders(request.headers, holdsKey, { header, value: apiKey }),
        body: writeBody(json, model, request.body),
    };
}
/** The API of a URL without a path is below `/v1`, as at OpenAI and Anthropic. */
function readBasePath({ pathname }) {
    const path = pathname.replace(/\/+$/, "");
    return path === "" ? "/v1" : path;
}
/** Returns the query with its `?`; an empty string if it contains a key of the request, which some clients send there. */
function readQuery({ url }, holdsKey) {
    const start = url.indexOf("?");
    const query = start < 0 ? "" : url.slice(start);
    return holdsKey(query) ? "" : query;
}
/**
 * Replaces the model name in the bytes of a body. All other bytes, such as the spelling of numbers, stay as they are.
 *
 * @param model undefined: the requested name stays
 * @param value the parsed body. It is serialized instead if the bytes have `model` twice or with escapes: the upstream could read
 * another name than the one that was looked up.
 */
function writeBody(json, model, value) {
    const found = findString(json, "model");
    if (!found)
        return Buffer.from(JSON.stringify({ ...Object(value), ...(model === undefined ? {} : { model }) }));
    if (model === undefined)
        return json;
    const name = Buffer.from(JSON.stringify(model));
    return Buffer.concat([json.subarray(0, found.start), name, json.subarray(found.end)]);
}
//# sourceMappingURL=upstream-request.js.map