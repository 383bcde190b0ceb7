import { type Value } from "../jinja/index.js";
/**
 * Converts a JavaScript value, for example from JSON.parse or `parseSpelled`, to a template value. Only an object's own
 * keys count; keys with the value undefined are left out.
 */
export declare function fromJs(value: unknown, depth?: number): Value;
