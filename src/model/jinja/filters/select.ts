import { RenderError } from "../errors.js";
import { applyTest } from "../is-tests.js";
import { itemsIn } from "../values/iterate.js";
import { Generator, isText, NONE, plainText, truthy, type Value } from "../values/value.js";
import { attributeGetter } from "./attribute-path.js";
import type { Filter, FilterCall } from "./filter.js";

/** As in Jinja2, None and other false values select nothing instead of failing. */
const itemsOrNone = (value: Value): readonly Value[] => (truthy(value) ? itemsIn(value) : []);

/** `select`, `reject`: filters items by the test that the first argument names, or without arguments by their truth. */
const selected =
  (keep: boolean): Filter =>
  (value, call) => {
    const test = readTest(call.args);
    return new Generator(itemsOrNone(value).filter((item) => test(item) === keep));
  };

/** `selectattr`, `rejectattr`: filters items by a test of one attribute, which the first argument names. */
const selectedByAttribute =
  (keep: boolean): Filter =>
  (value, call) => {
    const get = attributeGetter(call.args[0] ?? NONE);
    const test = readTest(call.args.slice(1));
    return new Generator(itemsOrNone(value).filter((item) => test(get(item)) === keep));
  };

function readTest([name, ...args]: readonly Value[]): (item: Value) => boolean {
  if (name === undefined) return truthy;
  if (!isText(name)) throw new RenderError("the name of a test must be a string");
  const test = plainText(name);
  return (item) => applyTest(test, item, args);
}

/** `map(attribute='name', default=…)` or `map('filter', …)`. */
const map: Filter = (value, call) => {
  const attribute = call.keywords.get("attribute");
  if (attribute !== undefined) {
    return new Generator(itemsOrNone(value).map(attributeGetter(attribute, call.keywords.get("default"))));
  }
  return new Generator(mapByFilter(itemsOrNone(value), call));
};

function mapByFilter(items: readonly Value[], { args: [name, ...args], keywords, findFilter }: FilterCall): Value[] {
  if (!isText(name)) throw new RenderError("map requires a filter argument");
  const filter = findFilter(plainText(name));
  return items.map((item) => filter(item, { args, keywords, findFilter }));
}

export const SELECT_FILTERS: readonly (readonly [string, Filter])[] = [
  ["select", selected(true)],
  ["reject", selected(false)],
  ["selectattr", selectedByAttribute(true)],
  ["rejectattr", selectedByAttribute(false)],
  ["map", map],
];
