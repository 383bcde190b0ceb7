import { type Keywords, truthy, type Value } from "../values/value.js";

/** What a filter is called with beside the value: its arguments, and the other filters by name, for `map('upper')`. */
export interface FilterCall {
  readonly args: readonly Value[];
  readonly keywords: Keywords;
  readonly findFilter: (name: string) => Filter;
}

export type Filter = (value: Value, call: FilterCall) => Value;

/** The argument at a position or of a name. */
export function argument(call: FilterCall, position: number, name: string): Value | undefined {
  return call.args[position] ?? call.keywords.get(name);
}

/** The argument as a condition; false if it is absent. */
export function flag(call: FilterCall, position: number, name: string): boolean {
  return truthy(argument(call, position, name) ?? false);
}
