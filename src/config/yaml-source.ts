import { type Document, isPair, isScalar, type Node, type Pair, parseDocument, type Scalar, visit } from "yaml";
import { findKey } from "./key.js";

/** The value of a YAML text, or why it is not YAML: one sentence per error, with line and column. */
export type YamlResult = { readonly value: unknown } | { readonly errors: readonly string[] };

/**
 * Reads YAML 1.2. The value of a text key keeps its spelling, so that an admin key of sixteen digits is not read as a
 * number.
 *
 * @param at path in the configuration that the text is the value of; empty for a whole configuration
 */
export function readYaml(text: string, at: readonly string[] = []): YamlResult {
  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0) return { errors: document.errors.map(({ message }) => firstLine(message)) };
  visit(document, {
    Scalar(place, scalar, ancestors) {
      if (place !== "key") keepSpelling(scalar, [...at, ...keysAbove(ancestors)]);
    },
  });
  try {
    const value: unknown = document.toJS();
    return containsItself(value) ? { errors: ["an alias must not be inside the value that it refers to"] } : { value };
  } catch (error) {
    // `toJS` throws if aliases would expand to too many values.
    return { errors: [error instanceof Error ? error.message : String(error)] };
  }
}

function keepSpelling(scalar: Scalar, path: readonly string[]): void {
  // The source of a text is its value, without quotes.
  if (scalar.value !== null && scalar.source !== undefined && findKey(path.join("."))?.isText)
    scalar.value = scalar.source;
}

function keysAbove(ancestors: readonly (Document | Node | Pair)[]): string[] {
  return ancestors.filter(isPair).map(({ key }) => String(isScalar(key) ? key.value : key));
}

function containsItself(value: unknown, above: readonly unknown[] = []): boolean {
  const isContainer = typeof value === "object" && value !== null;
  return (
    isContainer &&
    (above.includes(value) || Object.values(value).some((inner) => containsItself(inner, [...above, value])))
  );
}

function firstLine(message: string): string {
  return message.replace(/\n[^]*/, "");
}
