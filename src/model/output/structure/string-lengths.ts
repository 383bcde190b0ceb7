/**
 * A pattern for one character of a JSON string, escapes included. With `minLength` and `maxLength`, xgrammar allows raw control
 * characters, which JSON refuses, and no escapes. So a pattern of the same length replaces them.
 *
 * xgrammar matches a pattern with the string as it is written. Since 0.2 it does so only if the pattern has a character that is
 * not printable ASCII, so this one has a literal DEL. For other patterns it has a matcher that allows no escapes and takes
 * seconds to compile lengths of a thousand. llguidance matches the value of the string, so with it such strings have no escapes.
 */
const CHARACTER = String.raw`([^"\\\x00-\x1f${"\x7f"}]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))`;

/** Keywords whose value maps names to schemas. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS = new Set(
  (
    "items prefixItems additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames " +
    "anyOf oneOf allOf then else"
  ).split(" "),
);

/** Returns a schema in which patterns limit the lengths of strings. Strings with a pattern of their own keep that one. */
export function writeLengthsAsPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(writeLengthsAsPatterns);
  if (typeof schema !== "object" || schema === null) return schema;
  const written = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, rewriteKeyword(key, value)]));
  const { minLength = 0, maxLength = "", ...rest } = written;
  const isLimited = minLength !== 0 || maxLength !== "";
  if (!isLimited || !isLength(minLength) || !(maxLength === "" || isLength(maxLength))) return written;
  return "pattern" in rest ? written : { ...rest, pattern: `^${CHARACTER}{${minLength},${maxLength}}$` };
}

function rewriteKeyword(key: string, value: unknown): unknown {
  if (SCHEMAS.has(key)) return writeLengthsAsPatterns(value);
  if (!MAPS.has(key) || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, writeLengthsAsPatterns(each)]));
}

const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
