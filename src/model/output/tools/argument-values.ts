import type { Tool } from "../../../conversation/message.js";
import { JsonScanner } from "../reader/json-scanner.js";
import { pythonLiteral } from "../reader/python-literal.js";

/** How a family spells values that the tool's schema does not type. */
export interface ValueRules {
  /** What a parameter without a type in the schema is: always text, or JSON where it reads as such. */
  readonly untyped: "text" | "json";
  /** Whether `null` is null even where the schema wants a string. */
  readonly nullForStrings: boolean;
}

/**
 * The JSON text of a parameter whose value the model wrote as plain text, typed by the tool's JSON schema: a string
 * where the schema says so, else the JSON value or Python literal that it spells, if its type fits; else a string.
 * JSON keeps its spelling.
 */
export function argumentJson(raw: string, types: ReadonlySet<string> | undefined, rules: ValueRules): string {
  if (rules.nullForStrings && raw.trim() === "null") return "null";
  if (types === undefined && rules.untyped === "text") return JSON.stringify(raw);
  if (types?.size === 1 && types.has("string")) return JSON.stringify(raw);
  const json = isJson(raw) ? raw.trim() : pythonLiteral(raw.trim());
  if (json === undefined) return JSON.stringify(raw);
  const fits = types === undefined || jsonTypes(json).some((type) => types.has(type));
  return fits || !types?.has("string") ? json : JSON.stringify(raw);
}

/** The types that a tool's schema allows a parameter; undefined where it says nothing. */
export function parameterTypes(tool: Tool | undefined, parameter: string): ReadonlySet<string> | undefined {
  const properties = member(member(tool?.function, "parameters"), "properties");
  return schemaTypes(member(properties, parameter));
}

function schemaTypes(schema: unknown): ReadonlySet<string> | undefined {
  const type = member(schema, "type");
  if (typeof type === "string") return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === "string"));
  const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
  if (Array.isArray(choices)) return unionOf(choices.map((choice) => member(choice, "type")));
  const values = member(schema, "enum");
  return Array.isArray(values) ? unionOf(values.map(typeOfValue)) : undefined;
}

/** Undefined where one of them is not known: then anything may be meant. */
function unionOf(types: readonly unknown[]): ReadonlySet<string> | undefined {
  const names = types.flat().filter((type) => typeof type === "string");
  return names.length < types.length || names.length === 0 ? undefined : new Set(names);
}

export function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

function isJson(text: string): boolean {
  const scanner = new JsonScanner();
  const trimmed = text.trim();
  const end = scanner.scan(trimmed);
  scanner.finish();
  return scanner.state === "done" && end === trimmed.length;
}

/** A whole number is an integer too. */
function jsonTypes(json: string): readonly string[] {
  const type = typeOfValue(JSON.parse(json));
  return type === "number" && Number.isInteger(Number(json)) ? ["number", "integer"] : [type];
}

function typeOfValue(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
