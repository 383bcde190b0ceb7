import { RenderError } from "../errors.js";
import { optionalText } from "../values/argument-values.js";
import { compare, equal } from "../values/compare.js";
import { itemsIn, itemTuples } from "../values/iterate.js";
import { Generator, isDict, isText, NONE, plainText, Tuple, typeName, Undefined } from "../values/value.js";
import { attributeGetter } from "./attribute-path.js";
import { argument, flag } from "./filter.js";
/** Texts compare without case unless `case_sensitive` asks for it. */
function sortKey(caseSensitive, attribute) {
    const get = attribute === undefined || attribute === NONE ? undefined : attributeGetter(attribute);
    return (item) => {
        const key = get === undefined ? item : get(item);
        return isText(key) && !caseSensitive ? plainText(key).toLowerCase() : key;
    };
}
function ordered(items, key, isReversed) {
    const keyed = items.map((item) => ({ item, key: key(item) }));
    keyed.sort((a, b) => (isReversed ? compare(b.key, a.key) : compare(a.key, b.key)));
    return keyed.map(({ item }) => item);
}
const sort = (value, call) => {
    const isReversed = flag(call, 0, "reverse");
    const key = sortKey(flag(call, 1, "case_sensitive"), argument(call, 2, "attribute"));
    return ordered(itemsIn(value), key, isReversed);
};
const dictsort = (value, call) => {
    if (!isDict(value))
        throw new RenderError(`dictsort requires a dict, not ${typeName(value)}`);
    const by = optionalText(argument(call, 1, "by")) ?? "key";
    const key = sortKey(flag(call, 0, "case_sensitive"), by === "key" ? 0 : 1);
    return ordered(itemTuples(value), key, flag(call, 2, "reverse"));
};
const extreme = (sign) => (value, call) => {
    const key = sortKey(flag(call, 0, "case_sensitive"), argument(call, 1, "attribute"));
    const better = (a, b) => (sign * compare(key(b), key(a)) > 0 ? b : a);
    const [first, ...rest] = itemsIn(value);
    return first === undefined
        ? new Undefined(() => "No aggregated item, sequence was empty.")
        : rest.reduce(better, first);
};
const unique = (value, call) => {
    const key = sortKey(flag(call, 0, "case_sensitive"), argument(call, 1, "attribute"));
    const seen = [];
    const first = itemsIn(value).filter((item) => {
        const itemKey = key(item);
        if (seen.some((other) => equal(itemKey, other)))
            return false;
        seen.push(itemKey);
        return true;
    });
    return new Generator(first);
};
/** Returns (value, items) tuples, ordered by the value of the attribute. */
const groupby = (value, call) => {
    const attribute = argument(call, 0, "attribute") ?? NONE;
    const otherwise = argument(call, 1, "default");
    const get = attributeGetter(attribute, otherwise);
    const folded = sortKey(flag(call, 2, "case_sensitive"), undefined);
    const groups = [];
    for (const item of ordered(itemsIn(value), (one) => folded(get(one)), false)) {
        const key = get(item);
        const last = groups.at(-1);
        if (last !== undefined && equal(folded(last.key), folded(key)))
            last.items.push(item);
        else
            groups.push({ key, items: [item] });
    }
    return groups.map(({ key, items }) => new Tuple([key, items], ["grouper", "list"]));
};
export const ORDER_FILTERS = [
    ["sort", sort],
    ["dictsort", dictsort],
    ["min", extreme(-1)],
    ["max", extreme(1)],
    ["unique", unique],
    ["groupby", groupby],
];
//# sourceMappingURL=order.js.map