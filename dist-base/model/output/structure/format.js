export const ANY_TEXT = { type: "any_text" };
/** A grammar in xgrammar's EBNF. */
export const grammar = (rules) => ({ type: "grammar", grammar: rules });
/** Matches the empty text. A constant must not be empty. */
const NOTHING = grammar('root ::= ""');
export const constant = (value) => ({ type: "const_string", value });
export const regex = (pattern) => ({ type: "regex", pattern });
export const json = (schema) => ({ type: "json_schema", json_schema: schema });
export const tag = (begin, content, end) => ({ type: "tag", begin, content, end });
export const optional = (format) => oneOf([format, NOTHING]);
export function sequence(elements) {
    const [only = NOTHING] = elements;
    return elements.length > 1 ? { type: "sequence", elements } : only;
}
export function oneOf(elements) {
    const [only = NOTHING] = elements;
    return elements.length > 1 ? { type: "or", elements } : only;
}
//# sourceMappingURL=format.js.map