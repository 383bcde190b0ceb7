import { RenderError } from "../errors.js";
import { itemsIn, itemTuples, sequenceItems } from "../values/iterate.js";
import { pyStr } from "../values/repr.js";
import { Generator, isDict } from "../values/value.js";
/** `urlencode`: quotes a text for the path of a URL, or a dict or pairs of keys and values for its query. */
export const urlEncode = (value) => {
    const pairs = isDict(value)
        ? itemTuples(value)
        : (sequenceItems(value) ?? (value instanceof Generator && value.yielded));
    return pairs ? pairs.map(encodePair).join("&") : quote(pyStr(value)).replaceAll("%2F", "/");
};
function encodePair(pair) {
    const items = itemsIn(pair);
    if (items.length !== 2)
        throw new RenderError("urlencode requires pairs of key and value");
    return items.map((item) => quote(pyStr(item)).replaceAll("%20", "+")).join("=");
}
/** Python's `quote(text, safe="")`. Unlike `encodeURIComponent`, it also quotes `!*'()`. */
const quote = (text) => encodeURIComponent(text).replace(/[!*'()]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
//# sourceMappingURL=url-encode.js.map