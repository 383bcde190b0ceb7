import type { ArgumentNode, ParameterNode } from "../ast.js";
import type { ParseExpression } from "./parse-tuple.js";
import type { TokenStream } from "./token-stream.js";
/**
 * `(a, *items, key=value, **mapping)`, in Python's order.
 *
 * @param parse reads the value of an argument
 */
export declare function parseArguments(stream: TokenStream, parse: ParseExpression): ArgumentNode[];
/**
 * `(a, b=1)` of a macro or of the body of a call.
 *
 * @param parse reads a default
 */
export declare function parseParameters(stream: TokenStream, parse: ParseExpression): ParameterNode[];
