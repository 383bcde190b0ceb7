import { RenderError } from "../errors.js";
import { requiredText } from "../values/argument-values.js";
import { getAttribute } from "../values/attributes.js";
import { itemsIn } from "../values/iterate.js";
import { isText, NONE, plainText, toNumber, truthy, Undefined } from "../values/value.js";
import { argument, flag } from "./filter.js";
import { NUMBER_FILTERS } from "./number.js";
import { ORDER_FILTERS } from "./order.js";
import { SELECT_FILTERS } from "./select.js";
import { SEQUENCE_FILTERS } from "./sequence.js";
import { TEXT_FILTERS } from "./text.js";
import { dumps } from "./to-json.js";
const withDefault = (value, call) => {
    const isAbsent = value instanceof Undefined || (flag(call, 1, "boolean") && !truthy(value));
    return isAbsent ? (argument(call, 0, "default_value") ?? "") : value;
};
/** `tojson(ensure_ascii, indent, separators, sort_keys)`, with the parameter order of `transformers`. */
const toJson = (value, call) => {
    const indent = indentText(argument(call, 1, "indent"));
    const separators = argument(call, 2, "separators") ?? NONE;
    const [item, key] = separators === NONE ? [] : itemsIn(separators).map(requiredText);
    return dumps(value, {
        indent,
        ensureAscii: flag(call, 0, "ensure_ascii"),
        sortKeys: flag(call, 3, "sort_keys"),
        separators: [item ?? (indent === undefined ? ", " : ","), key ?? ": "],
    });
};
function indentText(indent = NONE) {
    if (indent === NONE)
        return undefined;
    return isText(indent) ? plainText(indent) : " ".repeat(Math.max(0, Number(toNumber(indent) ?? 0)));
}
const FILTERS = new Map([
    ["default", withDefault],
    ["d", withDefault],
    ["tojson", toJson],
    ["attr", (value, call) => getAttribute(value, requiredText(argument(call, 0, "name")))],
    ...TEXT_FILTERS,
    ...NUMBER_FILTERS,
    ...SEQUENCE_FILTERS,
    ...ORDER_FILTERS,
    ...SELECT_FILTERS,
]);
/** Returns a filter of Jinja2, or the `tojson` of `transformers`. */
export function findFilter(name) {
    const filter = FILTERS.get(name);
    if (filter === undefined)
        throw new RenderError(`No filter named '${name}'.`);
    return filter;
}
//# sourceMappingURL=index.js.map