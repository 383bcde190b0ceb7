import { type Document, isPair, isScalar, type Node, type Pair, parseDocument, type Scalar, visit } from "yaml";
import { findKey } from "./key.js";

/** What a YAML text holds, or why it is not YAML (one sentence an error, with line and column). */
export type YamlResult = { readonly value: unknown } | { readonly errors: readonly string[] };

/**
 * Reads YAML 1.2. A value of a text key keeps its spelling: an admin key of sixteen digits is no number here.
 *
 * @param at where in the configuration the text stands; empty: it is the whole
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
    return isWithinItself(value) ? { errors: ["an alias stands within what it names"] } : { value };
  } catch (error) {
    // Aliases that would expand without bound.
    return { errors: [error instanceof Error ? error.message : String(error)] };
  }
}

function keepSpelling(scalar: Scalar, path: readonly string[]): void {
  const isSpelledOtherwise = scalar.value !== null && typeof scalar.value !== "string";
  if (isSpelledOtherwise && scalar.source !== undefined && findKey(path.join("."))?.isText)
    scalar.value = scalar.source;
}

function keysAbove(ancestors: readonly (Document | Node | Pair)[]): string[] {
  return ancestors.filter(isPair).map(({ key }) => String(isScalar(key) ? key.value : key));
}

function isWithinItself(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== "object" || value === null) return false;
  return above.includes(value) || Object.values(value).some((inner) => isWithinItself(inner, [...above, value]));
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? message;
}
