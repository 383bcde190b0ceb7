import { type Keywords, type Value } from "../values/value.js";
/** The arguments of a filter, and a lookup of other filters for `map('upper')`. */
export interface FilterCall {
    readonly args: readonly Value[];
    readonly keywords: Keywords;
    readonly findFilter: (name: string) => Filter;
}
export type Filter = (value: Value, call: FilterCall) => Value;
/** Returns an argument by position or name. */
export declare function argument(call: FilterCall, position: number, name: string): Value | undefined;
/** Returns an argument as a condition; false if it is missing. */
export declare function flag(call: FilterCall, position: number, name: string): boolean;
