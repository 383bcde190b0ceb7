import { type Value } from "./value.js";
/** Python's `a == b`. */
export declare function equal(a: Value, b: Value): boolean;
/**
 * Compares in Python's order; negative if a comes before b. Only numbers, texts and sequences of them are ordered.
 *
 * @param operator for the error's message
 */
export declare function compare(a: Value, b: Value, operator?: string): number;
/** Compares by code points. JavaScript compares code units, which puts astral characters before U+E000. */
export declare function compareText(a: string, b: string): number;
