import { type Dict, type Key, Tuple, type Value } from "./value.js";
/** Returns what Python iterates over: items, keys of a dict, characters; nothing for an undefined value. */
export declare function itemsIn(value: Value): readonly Value[];
/** Returns the items of a list or a tuple; undefined for other values. */
export declare function sequenceItems(value: Value | undefined): readonly Value[] | undefined;
export declare const keyValue: (key: Key) => Value;
/** The (key, value) tuples of a dict, in the order of insertion. */
export declare const itemTuples: (dict: Dict) => Tuple[];
