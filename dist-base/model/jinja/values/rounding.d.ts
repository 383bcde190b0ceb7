/** Python's `round(x, digits)`: the nearest decimal to the exact value of the double, ties to even. */
export declare function roundHalfEven(value: number, digits: number): number;
