import { type Value } from "./value.js";
export type Arithmetic = "+" | "-" | "*" | "/" | "//" | "%" | "**";
/** Python's arithmetic: integers stay integers of any size, and `//` and `%` round downwards. Undefined for non-numbers. */
export declare function arithmetic(operator: Arithmetic, a: Value, b: Value): Value | undefined;
