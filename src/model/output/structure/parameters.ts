import type { Tool } from "../../../conversation/message.js";
import { member, parameterTypes } from "../tool-schema.js";
import { ANY_TEXT, constant, type Format, json, oneOf } from "./format.js";

/** A parameter of a tool, for families that write each parameter in separate tags. */
export interface Parameter {
  readonly key: string;
  readonly isRequired: boolean;
  /** The JSON types that the schema allows; undefined if it does not say. */
  readonly types: ReadonlySet<string> | undefined;
  /** Its schema, with the definitions that it refers to. */
  readonly schema: unknown;
  /** Its value as plain text, if the schema allows a string. */
  readonly text: Format | undefined;
  /** Its value as JSON, if the schema allows anything but a string. */
  readonly json: Format | undefined;
  /** Its value as JSON, strings too. */
  readonly value: Format;
}

/** Lists a tool's parameters in the order of its schema; undefined if the schema lists none. */
export function listParameters(tool: Tool): readonly Parameter[] | undefined {
  const schema = member(tool.function, "parameters");
  const properties = member(schema, "properties");
  if (typeof properties !== "object" || properties === null) return undefined;
  const required = member(schema, "required");
  const shared = pickDefinitions(schema);
  return Object.entries(properties).map(([key, property]) => {
    const types = parameterTypes(tool, key);
    const own = withDefinitions(property, shared);
    const value = json(own);
    return {
      key,
      types,
      schema: own,
      isRequired: Array.isArray(required) && required.includes(key),
      text: types === undefined || types.has("string") ? describeText(property) : undefined,
      json: types?.size === 1 && types.has("string") ? undefined : value,
      value,
    };
  });
}

/** Describes any text, or one of the texts that the schema lists. */
export function describeText(property: unknown): Format {
  const values = member(property, "enum");
  const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string" && value !== "") : [];
  return texts.length > 0 ? oneOf(texts.map(constant)) : ANY_TEXT;
}

const DEFINITIONS = ["$defs", "definitions"];

/** Picks the definitions that references in a property point to. */
function pickDefinitions(schema: unknown): Readonly<Record<string, unknown>> {
  const known = DEFINITIONS.map((key) => [key, member(schema, key)] as const);
  return Object.fromEntries(known.filter(([, definitions]) => definitions !== undefined));
}

function withDefinitions(property: unknown, shared: Readonly<Record<string, unknown>>): unknown {
  return typeof property === "object" && property !== null ? { ...property, ...shared } : property;
}
