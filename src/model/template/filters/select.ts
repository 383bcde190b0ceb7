import { itemsIn } from "../iterate.js";
import { StringValue, type Value } from "../jinja.js";
import { runTest } from "../tests.js";
import { Lazy, none, RenderError, truthy } from "../values.js";
import { attributeGetter } from "./attribute.js";
import type { Filter, FilterCall } from "./filter.js";

/** As in Jinja2, None and other false values select nothing instead of failing. */
const itemsOrNone = (value: Value): readonly Value[] => (truthy(value) ? itemsIn(value) : []);

/** `select`, `reject`: keeps items by a test named in the arguments, or by their truth without one. */
const selected =
  (keep: boolean): Filter =>
  (value, call) => {
    const test = testOf(call.args);
    return new Lazy(itemsOrNone(value).filter((item) => test(item) === keep));
  };

/** `selectattr`, `rejectattr`: the same by an attribute of the items, which is the first argument. */
const selectedByAttribute =
  (keep: boolean): Filter =>
  (value, call) => {
    const get = attributeGetter(call.args[0] ?? none());
    const test = testOf(call.args.slice(1));
    return new Lazy(itemsOrNone(value).filter((item) => test(get(item)) === keep));
  };

function testOf([name, ...args]: readonly Value[]): (item: Value) => boolean {
  if (name === undefined) return truthy;
  if (!(name instanceof StringValue)) throw new RenderError("the name of a test is a string");
  return (item) => runTest(name.value, item, args);
}

/** `map(attribute='name', default=…)` or `map('filter', …)`. */
const map: Filter = (value, call) => {
  const attribute = call.keywords.get("attribute");
  if (attribute !== undefined) {
    return new Lazy(itemsOrNone(value).map(attributeGetter(attribute, call.keywords.get("default"))));
  }
  return new Lazy(mapByFilter(itemsOrNone(value), call));
};

function mapByFilter(items: readonly Value[], call: FilterCall): Value[] {
  const [name, ...args] = call.args;
  if (!(name instanceof StringValue)) throw new RenderError("map requires a filter argument");
  return items.map((item) => call.filter(name.value, item, args));
}

export const SELECT_FILTERS: readonly (readonly [string, Filter])[] = [
  ["select", selected(true)],
  ["reject", selected(false)],
  ["selectattr", selectedByAttribute(true)],
  ["rejectattr", selectedByAttribute(false)],
  ["map", map],
];
