import { type Callable, type Dict, type Undefined } from "../values/value.js";
/** Returns the method of that name, bound to the dict; undefined if Python's `dict` has none. */
export declare function dictMethod(dict: Dict, name: string): Callable | Undefined | undefined;
