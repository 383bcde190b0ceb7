/**
 * Google's `Schema`, a dialect of OpenAPI's: types in upper case, `nullable`, `propertyOrdering`, and 64-bit integers as text. Models
 * are trained on JSON Schema, and grammars are built from it.
 */
type Schema = Readonly<Record<string, unknown>>;
/** Returns the same schema as JSON Schema. Its keys keep their order. It recurses: the schema must not be nested too deeply. */
export declare function toJsonSchema(schema: Schema): Record<string, unknown>;
export {};
