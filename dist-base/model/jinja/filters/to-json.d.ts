import { type Value } from "../values/value.js";
/** Options of Python's `json.dumps`. */
export interface DumpsOptions {
    readonly indent: string | undefined;
    readonly ensureAscii: boolean;
    readonly sortKeys: boolean;
    /** Between items and between key and value. */
    readonly separators: readonly [string, string];
}
/**
 * Python's `json.dumps(value)`. `transformers` gives templates this instead of Jinja2's own `tojson`, with
 * `ensure_ascii=False` and without escaping for HTML.
 */
export declare function dumps(value: Value, options: DumpsOptions, depth?: number): string;
