/**
 * Returns the text of a string literal, whose escapes are those of Python.
 *
 * @throws Error on an incomplete escape, and on characters by name (`\N{…}`), which are not supported
 */
export declare function unescapeLiteral(literal: string): string;
