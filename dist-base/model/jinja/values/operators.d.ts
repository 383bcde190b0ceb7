import { type Value } from "./value.js";
export type BinaryOperator = (a: Value, b: Value) => Value;
/** The binary operators that evaluate both operands: all but `and` and `or`. */
export declare const BINARY_OPERATORS: ReadonlyMap<string, BinaryOperator>;
/** Python's `item in container`. */
export declare function contains(container: Value, item: Value): boolean;
/** `+x` and `-x`. */
export declare function signed(operator: string, value: Value): Value;
