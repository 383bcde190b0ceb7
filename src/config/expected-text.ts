import type { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** The alternatives of a schema (`anyOf`, or a list of types), each with one type. */
export function alternatives(schema: Schema): Schema[] {
  if (schema.anyOf) return schema.anyOf.flatMap(alternatives);
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** The schema of a list's entries. */
export function itemsOf({ items }: Schema): Schema {
  return typeof items === "object" && !Array.isArray(items) ? items : {};
}

/** What a value must be, as a phrase that follows "expected": "an integer from 0 to 65535". */
export function expectedText(schema: Schema): string {
  return alternatives(schema).map(phrase).join(" or ");
}

function phrase(schema: Schema): string {
  if (schema.type === "null") return "null";
  if (typeof schema.expected === "string") return schema.expected;
  if (schema.enum) return choice(schema.enum.map(String));
  if (schema.type === "array") return `a list of values, each ${expectedText(itemsOf(schema))}`;
  if (schema.type === "integer") return `an integer${range(schema)}`;
  if (schema.type === "number") return `a number${range(schema)}`;
  if (schema.type === "boolean") return "true or false";
  return schema.minLength ? "text that is not empty" : "text";
}

function choice(values: readonly string[]): string {
  return values.length > 1 ? `one of ${values.join(", ")}` : values.join();
}

function range({ minimum, maximum, exclusiveMinimum }: Schema): string {
  // Integers carry the bounds of exact doubles, which say nothing to a reader.
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const over = exclusiveMinimum === undefined ? undefined : ` above ${exclusiveMinimum}`;
  if (over !== undefined) return most === undefined ? over : `${over}, at most ${most}`;
  if (least !== undefined) return most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`;
  return most === undefined ? "" : ` of at most ${most}`;
}
