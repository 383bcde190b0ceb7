import { RenderError } from "../errors.js";
import { applyTest } from "../is-tests.js";
import { itemsIn } from "../values/iterate.js";
import { Generator, isText, NONE, plainText, truthy } from "../values/value.js";
import { attributeGetter } from "./attribute-path.js";
/** As in Jinja2, None and other false values select nothing instead of failing. */
const itemsOrNone = (value) => (truthy(value) ? itemsIn(value) : []);
/** `select`, `reject`: filters items by the test that the first argument names, or without arguments by their truth. */
const selected = (keep) => (value, call) => {
    const test = readTest(call.args);
    return new Generator(itemsOrNone(value).filter((item) => test(item) === keep));
};
/** `selectattr`, `rejectattr`: filters items by a test of one attribute, which the first argument names. */
const selectedByAttribute = (keep) => (value, call) => {
    const get = attributeGetter(call.args[0] ?? NONE);
    const test = readTest(call.args.slice(1));
    return new Generator(itemsOrNone(value).filter((item) => test(get(item)) === keep));
};
function readTest([name, ...args]) {
    if (name === undefined)
        return truthy;
    if (!isText(name))
        throw new RenderError("the name of a test must be a string");
    const test = plainText(name);
    return (item) => applyTest(test, item, args);
}
/** `map(attribute='name', default=…)` or `map('filter', …)`. */
const map = (value, call) => {
    const attribute = call.keywords.get("attribute");
    if (attribute !== undefined) {
        return new Generator(itemsOrNone(value).map(attributeGetter(attribute, call.keywords.get("default"))));
    }
    return new Generator(mapByFilter(itemsOrNone(value), call));
};
function mapByFilter(items, { args: [name, ...args], keywords, findFilter }) {
    if (!isText(name))
        throw new RenderError("map requires a filter argument");
    const filter = findFilter(plainText(name));
    return items.map((item) => filter(item, { args, keywords, findFilter }));
}
export const SELECT_FILTERS = [
    ["select", selected(true)],
    ["reject", selected(false)],
    ["selectattr", selectedByAttribute(true)],
    ["rejectattr", selectedByAttribute(false)],
    ["map", map],
];
//# sourceMappingURL=select.js.map