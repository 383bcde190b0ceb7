import { type Value } from "./value.js";
/** Reads a text argument; undefined if it is absent or None. */
export declare function optionalText(value: Value | undefined): string | undefined;
export declare function requiredText(value: Value | undefined): string;
export declare function optionalInteger(value: Value | undefined, absent: number): number;
