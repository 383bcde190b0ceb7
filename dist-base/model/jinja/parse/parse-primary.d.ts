import type { Expression } from "../ast.js";
import { type ParseExpression } from "./parse-tuple.js";
import type { TokenStream } from "./token-stream.js";
/**
 * A name, a literal, or an expression in brackets.
 *
 * @param parse reads an expression in brackets
 */
export declare function parsePrimary(stream: TokenStream, parse: ParseExpression): Expression;
