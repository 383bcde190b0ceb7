import { type Dict, type Value } from "./value.js";
/** Python's `str(value)`: what `{{ value }}` prints. */
export declare function pyStr(value: Value): string;
/** Python's `repr(value)`. */
export declare function pyRepr(value: Value): string;
export declare function dictRepr(entries: Dict): string;
/** Python's `repr(float)`: exponent form from 1e16 up and below 1e-4, with at least two digits of exponent. */
export declare function floatRepr(x: number): string;
