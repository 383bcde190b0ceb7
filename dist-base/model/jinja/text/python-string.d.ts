/** Source of a regular expression that matches a character for which `str.isspace()` is true. Python's `\s` is the same. */
export declare const SPACE_CLASS = "[\t\n\v\f\r\u001C\u001D\u001E\u001F \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000]";
export declare const isSpace: (character: string) => boolean;
/** Returns the code points of a text. */
export declare const codePoints: (text: string) => string[];
/** Python's `len(text)`. */
export declare function codePointLength(text: string): number;
export type Sides = "left" | "right" | "both";
/** `strip`, `lstrip`, `rstrip`: removes any of `characters`; if undefined, white space. */
export declare function strip(text: string, characters: string | undefined, sides: Sides): string;
/** `split(separator, limit)`. Without a separator, splits at runs of white space and ignores white space at the ends. */
export declare function split(text: string, separator: string | undefined, limit: number): string[];
/** `rsplit(separator, limit)`: counted from the end. */
export declare function rsplit(text: string, separator: string | undefined, limit: number): string[];
/** `splitlines()`: lines without their ends. A line end at the end of the text adds no empty line. */
export declare function splitLines(text: string): string[];
/** `replace(from, to, count)`. A negative count replaces all. An empty `from` matches before every character and at the end. */
export declare function replace(text: string, from: string, to: string, count: number): string;
/** `swapcase()`. */
export declare function swapCase(text: string): string;
/** `title()`: each run of letters begins with a capital letter, and the others become small. */
export declare const titleCase: (text: string) => string;
export declare function capitalize(text: string): string;
/** Python's slice of a sequence. Missing bounds are undefined. */
export declare function takeSlice<T>(items: readonly T[], start?: number, stop?: number, step?: number): T[];
/** `zfill(width)`: inserts zeros after the sign. `width` counts UTF-16 units. */
export declare function zeroFill(text: string, width: number): string;
