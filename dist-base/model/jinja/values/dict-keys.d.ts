import { type Dict, type Key, type Value } from "./value.js";
/** Returns a value as the key of a dict. 1, 1.0 and True are the same key in Python. */
export declare function toKey(value: Value): Key;
export declare const isHashable: (value: Value) => boolean;
/** Returns the value of a key; undefined if the dict lacks it. Keys that no dict here can have, such as None, are missing. */
export declare function valueAt(dict: Dict, key: Value): Value | undefined;
