import { type Keywords, type Value } from "../values/value.js";
/**
 * Python's `format % values` for the conversions s, r, d, i, f, x and %%, with flags, width and precision.
 * `values` is one value or a tuple of them.
 */
export declare function percentFormat(format: string, values: Value): string;
/** Python's `format.format(…)` with `{}`, `{0}`, `{name}`, `!s`, `!r` and the specifications `d`, `s` and `.2f`. */
export declare function braceFormat(format: string, positional: readonly Value[], keywords: Keywords): string;
