import { type Delimiter, type Token } from "./token.js";
/**
 * Reads the tokens inside a tag or an expression, up to and with its end. Inside brackets, an end is read as operators.
 *
 * @param end a sticky pattern of the end
 * @returns the position after the end
 * @throws Error on a character that begins no token, on brackets that do not match, and if there is no end
 */
export declare function readTag(source: string, from: number, end: RegExp, type: Delimiter, tokens: Token[]): number;
/** Returns what a sticky pattern matches at a position. */
export declare function matchAt(pattern: RegExp, source: string, at: number): string | undefined;
