import type { Statement } from "../ast.js";
import type { TokenStream } from "./token-stream.js";
/**
 * Reads statements up to a tag with one of these names; the name is then the current token. Without names, reads to the end of
 * the template.
 */
export declare function parseBody(stream: TokenStream, endings: readonly string[]): Statement[];
