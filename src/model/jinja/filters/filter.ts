import { type Keywords, truthy, type Value } from "../values/value.js";

/** The arguments of a filter, and a lookup of other filters for `map('upper')`. */
export interface FilterCall {
  readonly args: readonly Value[];
  readonly keywords: Keywords;
  readonly findFilter: (name: string) => Filter;
}

export type Filter = (value: Value, call: FilterCall) => Value;

/** Returns an argument by position or name. */
export function argument(call: FilterCall, position: number, name: string): Value | undefined {
  return call.args[position] ?? call.keywords.get(name);
}

/** Returns an argument as a condition; false if it is missing. */
export function flag(call: FilterCall, position: number, name: string): boolean {
  return truthy(argument(call, position, name) ?? false);
}
