import type { Target } from "../ast.js";
import type { TokenStream } from "./token-stream.js";
/**
 * Reads what is assigned to: a name, or names between commas that unpack a value, with or without parentheses.
 *
 * @param hasAttributes true for `{% set %}`, which also assigns to attributes of namespaces
 */
export declare function parseTarget(stream: TokenStream, hasAttributes: boolean): Target;
/** Reads a name that is no constant. */
export declare function parseAssignedName(stream: TokenStream): string;
