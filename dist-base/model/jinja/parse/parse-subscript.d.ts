import type { Expression } from "../ast.js";
import type { ParseExpression } from "./parse-tuple.js";
import type { TokenStream } from "./token-stream.js";
/**
 * `object.name`, `object.0`, `object[key]` and `object[start:stop:step]`.
 *
 * @param parse reads a key or a bound
 */
export declare function parseSubscript(stream: TokenStream, object: Expression, parse: ParseExpression): Expression;
