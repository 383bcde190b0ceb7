import { pyStr } from "./repr.js";
import { Markup } from "./value.js";
const ENTITIES = new Map([
    ["&", "&amp;"],
    ["<", "&lt;"],
    [">", "&gt;"],
    ['"', "&#34;"],
    ["'", "&#39;"],
]);
/** `markupsafe.escape(value)`: escapes text for HTML, unless it is markup already. */
export function escape(value) {
    return value instanceof Markup ? value.text : pyStr(value).replace(/[&<>"']/g, (c) => ENTITIES.get(c) ?? c);
}
/** Returns a text that was derived from `source`, as markup if `source` is markup. */
export function textLike(source, text) {
    return source instanceof Markup ? new Markup(text) : text;
}
//# sourceMappingURL=markup.js.map