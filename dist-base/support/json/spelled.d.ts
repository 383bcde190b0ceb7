import type { Steps } from "../async/steps.js";
/**
 * A number with its spelling, such as 1.0 or an integer of 20 digits, which `JSON.parse` would change. It is a
 * `Number`, so that it can be used in arithmetic and comparisons.
 */
export declare class SpelledNumber extends Number {
    readonly text: string;
    constructor(text: string);
}
/**
 * Parses JSON like `JSON.parse`, but keeps the spelling that a prompt shows. Numbers that would change are
 * {@link SpelledNumber}s, and objects list their keys in the order of the text, also keys that look like indices.
 *
 * @throws JsonError
 */
export declare const parseSpelled: (text: string) => unknown;
/** {@link parseSpelled} in steps, for texts of tens of thousands of values. */
export declare const parseSpelledInSteps: (text: string) => Steps<unknown>;
/**
 * Returns true if `JSON.parse`, which gave this value, may have lost spelling: numbers, or the order of index-like
 * keys.
 */
export declare function mayLoseSpelling(value: unknown): boolean;
/** A replacer of `JSON.stringify` for texts that are compared: two spellings of a number give different texts. */
export declare const keepSpelling: (_key: string, value: unknown) => unknown;
/**
 * Returns the JSON text of a value from {@link parseSpelled}, without white space. Undefined fields are left out. It
 * recurses, so the value must not be nested deeper than the call stack allows.
 */
export declare function stringifySpelled(value: unknown): string;
