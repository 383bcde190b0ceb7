import type { Tool } from "../../../conversation/message.js";
import { member, parameterTypes } from "../tools/argument-values.js";
import { ANY_TEXT, constant, type Format, json, oneOf } from "./format.js";

/** A parameter of a tool, for families that write each one apart. */
export interface Parameter {
  readonly key: string;
  readonly isRequired: boolean;
  /** Its value as plain text, where the schema allows a string. */
  readonly text: Format | undefined;
  /** Its value as JSON, where the schema allows anything but a string. */
  readonly json: Format | undefined;
}

/** A tool's parameters in the order of its schema; undefined where the schema does not list them. */
export function parametersOf(tool: Tool): readonly Parameter[] | undefined {
  const schema = member(tool.function, "parameters");
  const properties = member(schema, "properties");
  if (typeof properties !== "object" || properties === null) return undefined;
  const required = member(schema, "required");
  const shared = definitionsOf(schema);
  return Object.entries(properties).map(([key, property]) => {
    const types = parameterTypes(tool, key);
    return {
      key,
      isRequired: Array.isArray(required) && required.includes(key),
      text: types === undefined || types.has("string") ? textOf(property) : undefined,
      json: types?.size === 1 && types.has("string") ? undefined : json(withDefinitions(property, shared)),
    };
  });
}

/** Any text, or one of those that the schema lists. */
function textOf(property: unknown): Format {
  const values = member(property, "enum");
  const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string" && value !== "") : [];
  return texts.length > 0 ? oneOf(texts.map(constant)) : ANY_TEXT;
}

const DEFINITIONS = ["$defs", "definitions"];

/** What references in a property point to. */
function definitionsOf(schema: unknown): Readonly<Record<string, unknown>> {
  const known = DEFINITIONS.map((key) => [key, member(schema, key)] as const);
  return Object.fromEntries(known.filter(([, definitions]) => definitions !== undefined));
}

function withDefinitions(property: unknown, shared: Readonly<Record<string, unknown>>): unknown {
  return typeof property === "object" && property !== null ? { ...property, ...shared } : property;
}
