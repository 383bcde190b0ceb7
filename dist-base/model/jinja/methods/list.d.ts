import type { Callable, List, Tuple, Undefined, Value } from "../values/value.js";
/** Returns the method of that name, bound to the list; undefined if Python's `list` has none. */
export declare function listMethod(list: List, name: string): Callable | Undefined | undefined;
/** Returns a method of a tuple, or the item of that name if its items have names. */
export declare function tupleAttribute(tuple: Tuple, name: string): Value | undefined;
