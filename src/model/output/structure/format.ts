import { writeLengthsAsPatterns } from "./string-lengths.js";

/**
 * Formats of xgrammar's structural tags, which SGLang and vLLM accept. Only formats that every version since 0.1.25
 * has. Source: xgrammar's documentation of structural tags.
 */
export type Format =
  | { readonly type: "const_string"; readonly value: string }
  | { readonly type: "any_text" }
  | { readonly type: "regex"; readonly pattern: string }
  | { readonly type: "grammar"; readonly grammar: string }
  | { readonly type: "json_schema"; readonly json_schema: unknown }
  | { readonly type: "sequence"; readonly elements: readonly Format[] }
  | { readonly type: "or"; readonly elements: readonly Format[] }
  | TagFormat
  | (TagList & { readonly type: "tags_with_separator"; readonly separator: string })
  | (TagList & { readonly type: "triggered_tags"; readonly triggers: readonly string[] });

/** `content` between two texts. Free text in it ends before `end`. */
export interface TagFormat {
  readonly type: "tag";
  readonly begin: string;
  readonly content: Format;
  readonly end: string;
}

interface TagList {
  readonly tags: readonly TagFormat[];
  /** The text begins with one of the tags. */
  readonly at_least_one: boolean;
  readonly stop_after_first: boolean;
}

export const ANY_TEXT: Format = { type: "any_text" };

/** A grammar in xgrammar's EBNF. */
export const grammar = (rules: string): Format => ({ type: "grammar", grammar: rules });

/** Matches the empty text. A constant must not be empty. */
const NOTHING: Format = grammar('root ::= ""');

export const constant = (value: string): Format => ({ type: "const_string", value });
export const regex = (pattern: string): Format => ({ type: "regex", pattern });
export const json = (schema: unknown): Format => ({
  type: "json_schema",
  json_schema: writeLengthsAsPatterns(schema),
});
export const tag = (begin: string, content: Format, end: string): TagFormat => ({ type: "tag", begin, content, end });
export const optional = (format: Format): Format => oneOf([format, NOTHING]);

export function sequence(elements: readonly Format[]): Format {
  const [only = NOTHING] = elements;
  return elements.length > 1 ? { type: "sequence", elements } : only;
}

export function oneOf(elements: readonly Format[]): Format {
  const [only = NOTHING] = elements;
  return elements.length > 1 ? { type: "or", elements } : only;
}
