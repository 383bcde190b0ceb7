import { Undefined, type Value } from "./value.js";
/** `object.name`: methods come before the keys of a dict, as in Python. */
export declare function getAttribute(object: Value, name: string): Value;
/** Finds an attribute in Python's sense, which does not include the keys of a dict. */
export declare function findAttribute(object: Value, name: string): Value | undefined;
export declare const noAttribute: (object: Value, name: string) => Undefined;
export declare const noElement: (object: Value, key: Value) => Undefined;
