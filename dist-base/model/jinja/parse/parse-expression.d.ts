import type { Expression, FilterNode } from "../ast.js";
import type { TokenStream } from "./token-stream.js";
/**
 * Expressions, from the operators that bind least to those that bind most: `if`, `or`, `and`, `not`, comparisons, `+ -`, `~`,
 * `* / // %`, `**`, signs, then filters and tests, attributes, items and calls. All operators with two operands associate
 * to the left, `**` too.
 */
export declare function parseExpression(stream: TokenStream): Expression;
/** An expression without `if`, as in `{% for x in items if … %}`. */
export declare const parseOr: (stream: TokenStream) => Expression;
/** A value with attributes, items and calls. */
export declare function parsePostfix(stream: TokenStream): Expression;
/** `| name(arguments)`. */
export declare function parseFilter(stream: TokenStream): FilterNode;
export declare function parseFilterName(stream: TokenStream): FilterNode;
