/** Python's `round(x, digits)`: the nearest decimal to the exact value of the double, ties to even. */
export function roundHalfEven(value, digits) {
    if (!Number.isFinite(value))
        return value;
    if (digits > 15)
        return value;
    const scale = 10n ** BigInt(Math.abs(digits));
    const [numerator, denominator] = exactFraction(value);
    const [top, bottom] = digits >= 0 ? [numerator * scale, denominator] : [numerator, denominator * scale];
    const rounded = divideHalfEven(top, bottom);
    const result = digits >= 0 ? Number(rounded) / Number(scale) : Number(rounded * scale);
    return result === 0 && value < 0 ? -0 : result;
}
function divideHalfEven(top, bottom) {
    const sign = top < 0n ? -1n : 1n;
    const whole = (top * sign) / bottom;
    const twice = ((top * sign) % bottom) * 2n;
    const up = twice > bottom || (twice === bottom && whole % 2n === 1n);
    return sign * (up ? whole + 1n : whole);
}
/** Returns a double as an exact fraction. */
function exactFraction(value) {
    let denominator = 1n;
    let scaled = value;
    while (!Number.isInteger(scaled)) {
        scaled *= 2;
        denominator *= 2n;
    }
    return [BigInt(scaled), denominator];
}
//# sourceMappingURL=rounding.js.map