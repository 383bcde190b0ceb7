import { type Callable, type Text } from "../values/value.js";
/** Returns the method of that name, bound to the text; undefined if Python's `str` has none or it is not supported here. */
export declare function textMethod(self: Text, name: string): Callable | undefined;
export declare const hasTextMethod: (name: string) => boolean;
