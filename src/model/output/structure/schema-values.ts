import { childSchema, member, resolveReference, schemaTypes } from "../tool-schema.js";
import { ANY_TEXT, constant, type Format, json, oneOf, optional, sequence } from "./format.js";
import { describeText } from "./parameters.js";

/** How a family that does not write JSON spells the values of a schema. */
export interface Spelling {
  readonly text: (text: Format) => Format;
  readonly list: (item: Format) => Format;
  readonly object: (members: readonly ObjectMember[]) => Format;
  readonly member: (key: string, value: Format) => Format;
  /** A value of any type. */
  readonly any: Format;
}

/** A member of an object; `format` describes its value together with its key. */
export interface ObjectMember {
  readonly key: string;
  readonly format: Format;
  readonly isRequired: boolean;
}

/** Deeper values may be anything. It also ends schemas that contain themselves. */
const MAX_DEPTH = 8;

/**
 * Describes the members of an object in the order of its schema; undefined if the schema lists none.
 *
 * @param root the tool's schema, which has the definitions that references point to
 */
export function listMembers(
  schema: unknown,
  spelling: Spelling,
  root: unknown,
  depth = 0,
): readonly ObjectMember[] | undefined {
  const own = resolveReference(schema, root);
  const properties = member(own, "properties");
  if (typeof properties !== "object" || properties === null) return undefined;
  const required = member(own, "required");
  return Object.keys(properties).map((key) => ({
    key,
    format: spelling.member(key, describeValue(childSchema(own, key, root), spelling, root, depth + 1)),
    isRequired: Array.isArray(required) && required.includes(key),
  }));
}

/** Describes members one after the other, with a separator between two. */
export function joinMembers(members: readonly ObjectMember[], separator: string): Format {
  return joinFrom(members, separator, false);
}

/** Without a separator before it, an optional member makes two cases: the next one has a separator or not. */
function joinFrom(members: readonly ObjectMember[], separator: string, isContinued: boolean): Format {
  const [first, ...rest] = members;
  if (first === undefined) return sequence([]);
  if (separator === "" || isContinued) {
    return sequence(
      members.map(({ format, isRequired }) => {
        const separated = separator === "" ? format : sequence([constant(separator), format]);
        return isRequired ? separated : optional(separated);
      }),
    );
  }
  const present = rest.length === 0 ? first.format : sequence([first.format, joinFrom(rest, separator, true)]);
  if (first.isRequired) return present;
  return rest.length === 0 ? optional(present) : oneOf([present, joinFrom(rest, separator, false)]);
}

function describeValue(schema: unknown, spelling: Spelling, root: unknown, depth: number): Format {
  if (depth > MAX_DEPTH) return spelling.any;
  const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
  if (Array.isArray(choices)) {
    return choose(choices.map((choice) => describeValue(resolveReference(choice, root), spelling, root, depth + 1)));
  }
  const types = schemaTypes(schema, root);
  if (types === undefined || types.size === 0) return spelling.any;
  return choose([...types].map((type) => describeType(type, schema, spelling, root, depth)));
}

/** A choice that includes any text is any text: grammars do not allow it beside anything else. */
function choose(formats: readonly Format[]): Format {
  return formats.find((format) => format === ANY_TEXT) ?? oneOf(formats);
}

function describeType(type: string, schema: unknown, spelling: Spelling, root: unknown, depth: number): Format {
  if (type === "string") return spelling.text(describeText(schema));
  if (type === "array") {
    const items = member(schema, "items");
    return spelling.list(
      items === undefined ? spelling.any : describeValue(resolveReference(items, root), spelling, root, depth + 1),
    );
  }
  if (type === "object") {
    const members = listMembers(schema, spelling, root, depth);
    return members === undefined ? spelling.any : spelling.object(members);
  }
  return json(typeof schema === "object" && schema !== null ? { ...schema, type } : { type });
}
