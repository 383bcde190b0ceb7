import { itemsIn } from "../iterate.js";
import type { Value } from "../jinja.js";
import { getAttribute } from "../members.js";
import { requiredText } from "../string-methods.js";
import { dumps } from "../to-json.js";
import { isMissing, isText, none, numberOf, RenderError, str, truthy } from "../values.js";
import { argument, type Filter } from "./filter.js";
import { NUMBER_FILTERS } from "./number.js";
import { SELECT_FILTERS } from "./select.js";
import { SEQUENCE_FILTERS } from "./sequence.js";
import { TEXT_FILTERS } from "./text.js";

const withDefault: Filter = (value, call) => {
  const replaceFalse = truthy(argument(call, 1, "boolean") ?? none());
  const isAbsent = isMissing(value) || (replaceFalse && !truthy(value));
  return isAbsent ? (argument(call, 0, "default_value") ?? str("")) : value;
};

/** `tojson(ensure_ascii, indent, separators, sort_keys)`, in `transformers`' order. */
const toJson: Filter = (value, call) => {
  const indent = argument(call, 1, "indent");
  const separators = argument(call, 2, "separators");
  const indentation = indentText(indent);
  const [item, key] = separators === undefined ? [] : itemsIn(separators).map(requiredText);
  return str(
    dumps(value, {
      indent: indentation,
      ensureAscii: truthy(argument(call, 0, "ensure_ascii") ?? none()),
      sortKeys: truthy(argument(call, 3, "sort_keys") ?? none()),
      separators: [item ?? (indentation === undefined ? ", " : ","), key ?? ": "],
    }),
  );
};

function indentText(indent: Value | undefined): string | undefined {
  if (indent === undefined || indent.type === "NullValue") return undefined;
  return isText(indent) ? indent.value : " ".repeat(Math.max(0, Number(numberOf(indent) ?? 0)));
}

const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["default", withDefault],
  ["d", withDefault],
  ["tojson", toJson],
  ["attr", (value, call) => getAttribute(value, requiredText(argument(call, 0, "name")))],
  ...TEXT_FILTERS,
  ...NUMBER_FILTERS,
  ...SEQUENCE_FILTERS,
  ...SELECT_FILTERS,
]);

/** `value | name(args)`, with the filters of Jinja2 and `transformers`' `tojson`. */
export function runFilter(
  name: string,
  value: Value,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value> = new Map(),
): Value {
  const filter = FILTERS.get(name);
  if (filter === undefined) throw new RenderError(`No filter named '${name}'.`);
  return filter(value, { args, keywords, filter: runFilter });
}
