import { findKey } from "./key.js";
import { isPlainMap, mapLeaves } from "./tree.js";
const HIDDEN = "[redacted]";
/** Returns a copy of the configuration without keys and without passwords in URLs, so that it can be shown. */
export function redact(config) {
    return mapLeaves(config, hideLeaf);
}
function hideLeaf(value, path) {
    if (findKey(path)?.isSecret)
        return hideSecret(value);
    return Array.isArray(value) ? value.map(hidePassword) : value;
}
/** Hides a key. In a list of maps, hides only the keys of the maps. */
function hideSecret(value) {
    if (value === null)
        return null;
    if (!Array.isArray(value))
        return HIDDEN;
    return value.map((entry) => {
        if (!isPlainMap(entry))
            return HIDDEN;
        return mapLeaves(entry, (leaf, name) => (name === "api_key" && leaf !== null ? HIDDEN : hidePassword(leaf)));
    });
}
function hidePassword(value) {
    if (typeof value !== "string" || !URL.canParse(value))
        return value;
    const url = new URL(value);
    if (url.username === "" && url.password === "")
        return value;
    url.username = "redacted";
    url.password = "";
    return url.href;
}
//# sourceMappingURL=redact.js.map