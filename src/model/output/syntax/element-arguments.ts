import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { childSchema, member, schemaTypes } from "../tool-schema.js";
import { toArgumentJson, type ValueRules } from "./argument-json.js";
import { readUpTo } from "./call-header.js";

/** Tags that are named after the members of an object: `open` NAME `>`…`close` NAME `>`. */
export interface ElementSyntax {
  readonly open: string;
  readonly close: string;
}

/** The name of the elements of a list. */
const ITEM = "item";

/** Deepest nesting of arguments, so that the recursion over them cannot overflow the stack. */
const MAX_DEPTH = 128;

const RULES: ValueRules = { untyped: "json", nullForStrings: false };

/** JSON texts of the values by element. An element may repeat. */
type Elements = ReadonlyMap<string, readonly string[]>;

/** Reads elements up to a closing tag of something else, and returns the JSON text of each member. Undefined: malformed. */
export function* readArgumentElements(
  reader: OutputCursor,
  syntax: ElementSyntax,
  schema: unknown,
): Step<readonly (readonly [key: string, json: string])[] | undefined> {
  const elements = yield* readElements(reader, syntax, { schema, root: schema }, 0);
  return elements && [...elements].map(([key, values]) => [key, joinValues(values)] as const);
}

interface Typed {
  readonly schema: unknown;
  /** The tool's schema, which has the definitions that references point to. */
  readonly root: unknown;
}

function* readElements(
  reader: OutputCursor,
  syntax: ElementSyntax,
  { schema, root }: Typed,
  depth: number,
): Step<Elements | undefined> {
  const elements = new Map<string, string[]>();
  for (;;) {
    yield* reader.skipSpace();
    if ((yield* reader.at(syntax.close)) || !(yield* reader.accept(syntax.open))) return elements;
    const name = yield* readUpTo(reader, [">", syntax.open, syntax.close]);
    if (name?.marker !== ">") return undefined;
    reader.skip(">");
    const typed = { schema: childSchema(schema, name.text, root), root };
    const json = yield* readValue(reader, syntax, typed, depth);
    if (json === undefined || !(yield* reader.accept(`${syntax.close}${name.text}>`))) return undefined;
    const values = elements.get(name.text);
    if (values) values.push(json);
    else elements.set(name.text, [json]);
  }
}

/** Reads a value up to its closing tag and returns its JSON text. */
function* readValue(
  reader: OutputCursor,
  syntax: ElementSyntax,
  typed: Typed,
  depth: number,
): Step<string | undefined> {
  const text = yield* readUpTo(reader, [syntax.close, syntax.open]);
  if (text === undefined || depth === MAX_DEPTH) return undefined;
  if (text.marker === syntax.close) return textJson(text.text, schemaTypes(typed.schema, typed.root));
  if (text.text.trim() !== "") return undefined;
  const elements = yield* readElements(reader, syntax, typed, depth + 1);
  return elements && elementsJson(elements, typed.schema);
}

/** Spells a value without elements. An empty one is null, a list or an object if the schema says so. */
function textJson(text: string, types: ReadonlySet<string> | undefined): string {
  if (text.trim() === "" && types !== undefined && !types.has("string")) {
    if (types.has("null")) return "null";
    if (types.has("array")) return "[]";
    if (types.has("object")) return "{}";
  }
  return toArgumentJson(text, types, RULES);
}

/** Elements that are all called `item` are a list, unless the schema has a member of that name. */
function elementsJson(elements: Elements, schema: unknown): string {
  const items = elements.get(ITEM);
  const isList = items !== undefined && elements.size === 1 && member(member(schema, "properties"), ITEM) === undefined;
  if (isList) return `[${items.join(", ")}]`;
  const members = [...elements].map(([key, values]) => `${JSON.stringify(key)}: ${joinValues(values)}`);
  return `{${members.join(", ")}}`;
}

/** A repeated element is a list. */
const joinValues = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] ?? "") : `[${values.join(", ")}]`;
