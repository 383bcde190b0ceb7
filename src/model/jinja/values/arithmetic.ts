import { RenderError } from "../errors.js";
import { Float, int, toNumber, type Value } from "./value.js";

export type Arithmetic = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** Python's arithmetic: integers stay integers of any size, and `//` and `%` round downwards. Undefined for non-numbers. */
export function arithmetic(operator: Arithmetic, a: Value, b: Value): Value | undefined {
  const left = toNumber(a);
  const right = toNumber(b);
  if (left === undefined || right === undefined) return undefined;
  if ((operator === "/" || operator === "//" || operator === "%") && Number(right) === 0) {
    throw new RenderError("division by zero");
  }
  const isFloat = a instanceof Float || b instanceof Float || operator === "/";
  if (isFloat || (operator === "**" && right < 0)) return new Float(onFloats(operator, Number(left), Number(right)));
  return int(onIntegers(operator, left, right));
}

function onFloats(operator: Arithmetic, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return floorDivision(a, b);
    case "%":
      return floorModulo(a, b);
    case "**":
      return power(a, b);
  }
}

function onIntegers(operator: Arithmetic, a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === "number" && typeof b === "number") {
    // A power that is too large for a float is none for an integer.
    const quick = operator === "**" ? a ** b : onFloats(operator, a, b);
    if (Number.isSafeInteger(quick)) return quick === 0 ? 0 : quick;
  }
  return onBigIntegers(operator, BigInt(a), BigInt(b));
}

// The largest exponent. A template that exceeds it is wrong or malicious.
const MAX_POWER = 4096n;

function onBigIntegers(operator: Arithmetic, a: bigint, b: bigint): bigint {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "**":
      if (b > MAX_POWER) throw new RenderError("exponent too large");
      return a ** b;
    case "%":
      return ((a % b) + b) % b;
    case "/":
    case "//": {
      const quotient = a / b;
      return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
    }
  }
}

/** Python's `a // b` of floats, from the exact remainder. `Math.floor(a / b)` is sometimes one more. */
function floorDivision(a: number, b: number): number {
  const remainder = a % b;
  const quotient = (a - remainder) / b - (remainder !== 0 && remainder < 0 !== b < 0 ? 1 : 0);
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function floorModulo(a: number, b: number): number {
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
}

function power(a: number, b: number): number {
  const result = a ** b;
  if (!Number.isFinite(result)) throw new RenderError("a power is too large or not a real number");
  return result;
}
