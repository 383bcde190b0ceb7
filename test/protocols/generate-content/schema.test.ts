import { expect, it } from "vitest";
import { toJsonSchema } from "../../../src/protocols/generate-content/schema.js";

/** Google's Schema as JSON Schema. */

it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "types in upper case",
    { type: "OBJECT", properties: { a: { type: "STRING" } } },
    { type: "object", properties: { a: { type: "string" } } },
  ],
  ["types in lower case", { type: "integer" }, { type: "integer" }],
  ["no type", { type: "TYPE_UNSPECIFIED", description: "d" }, { description: "d" }],
  ["nullable", { type: "STRING", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }],
  ["nullable: false", { type: "STRING", nullable: false }, { type: "string" }],
  [
    "a nullable choice",
    { nullable: true, anyOf: [{ type: "STRING" }] },
    { anyOf: [{ type: "string" }, { type: "null" }] },
  ],
  ["counts as text", { type: "ARRAY", minItems: "1", maxItems: 3 }, { type: "array", minItems: 1, maxItems: 3 }],
  [
    "counts of every kind as text",
    {
      maxItems: "1",
      maxLength: "2",
      maxProperties: "3",
      minItems: "4",
      minLength: "5",
      minProperties: "6",
      other: "7",
    },
    { maxItems: 1, maxLength: 2, maxProperties: 3, minItems: 4, minLength: 5, minProperties: 6, other: "7" },
  ],
  [
    "every name in snake_case",
    { max_items: 1, max_length: 2, max_properties: 3, min_items: 4, min_length: 5, min_properties: 6, any_of: [] },
    { maxItems: 1, maxLength: 2, maxProperties: 3, minItems: 4, minLength: 5, minProperties: 6, anyOf: [] },
  ],
  ["snake_case", { min_length: "2", any_of: [{ type: "NUMBER" }] }, { minLength: 2, anyOf: [{ type: "number" }] }],
  [
    "Google's format of an enum",
    { type: "STRING", format: "enum", enum: ["STRING"] },
    { type: "string", enum: ["STRING"] },
  ],
  ["other formats", { type: "STRING", format: "date-time" }, { type: "string", format: "date-time" }],
  [
    "values of any type",
    { default: { type: "STRING" }, example: "OBJECT" },
    { default: { type: "STRING" }, example: "OBJECT" },
  ],
  ["items", { items: { items: { type: "NULL" } } }, { items: { items: { type: "null" } } }],
  ["a list of types", { type: ["STRING", "NULL"] }, { type: ["string", "null"] }],
  [
    "what is no schema",
    { type: 5, items: true, properties: { a: "STRING" } },
    { type: 5, items: true, properties: { a: "STRING" } },
  ],
  ["null", { type: "STRING", description: null }, { type: "string" }],
])("has %s", (_, schema, expected) => {
  expect(JSON.stringify(toJsonSchema(schema))).toBe(JSON.stringify(expected));
});

it("orders properties by property_ordering as well", () => {
  const converted = toJsonSchema({ properties: { a: {}, b: {} }, property_ordering: ["b"] });
  expect(JSON.stringify(converted)).toBe('{"properties":{"b":{},"a":{}}}');
});

it("orders properties by propertyOrdering, then as they are written", () => {
  const properties = { a: {}, b: {}, c: {}, propertyOrdering: { type: "STRING" } };
  const converted = toJsonSchema({ properties, propertyOrdering: ["c", "a", "unknown"] });
  expect(Object.keys(converted)).toEqual(["properties"]);
  expect(Object.keys(converted["properties"] as object)).toEqual(["c", "a", "b", "propertyOrdering"]);
});
