import type { Expression } from "../ast.js";
import type { TokenStream } from "./token-stream.js";
/** Reads an expression. Parsers of its parts take it as a parameter, because each of them may contain expressions. */
export type ParseExpression = (stream: TokenStream) => Expression;
/**
 * Reads an expression, or a tuple without parentheses: expressions between commas, of which the last one may have a comma
 * too.
 *
 * @param parseItem reads one of the expressions
 */
export declare function parseTuple(stream: TokenStream, parseItem: ParseExpression): Expression;
/** Returns true at a token that cannot begin an item: the comma before it was the last. */
export declare function isTupleEnd(stream: TokenStream): boolean;
