import type { Value } from "../jinja.js";

/** What a filter is called with beside the value: its arguments, and the other filters by name, for `map('upper')`. */
export interface FilterCall {
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
  readonly filter: (name: string, value: Value, args: readonly Value[]) => Value;
}

export type Filter = (value: Value, call: FilterCall) => Value;

/** The argument at a position or of a name. */
export function argument(call: FilterCall, position: number, name: string): Value | undefined {
  return call.args[position] ?? call.keywords.get(name);
}
