import { RenderError } from "./errors.js";
import { arithmetic } from "./values/arithmetic.js";
import { compare, equal } from "./values/compare.js";
import { contains } from "./values/operators.js";
import { pyStr } from "./values/repr.js";
import { Float, Generator, isDict, isInt, isList, isText, Markup, NONE, Tuple, toNumber, typeName, Undefined, } from "./values/value.js";
function isRemainder(value, divisor, wanted) {
    const remainder = arithmetic("%", value, divisor);
    if (remainder === undefined) {
        throw new RenderError(`unsupported operand type(s) for %: '${typeName(value)}' and '${typeName(divisor)}'`);
    }
    return equal(remainder, wanted);
}
/** Returns a test for texts that contain a letter and that `change` leaves as they are. */
const lettersAre = (change) => (value) => {
    const text = pyStr(value);
    return text === change(text) && text.toLowerCase() !== text.toUpperCase();
};
// Jinja2's undefined value has a length and an iterator and is callable, so it counts as a sequence.
const isSequence = (value) => isList(value) || value instanceof Tuple || isText(value) || isDict(value) || value instanceof Undefined;
/** Jinja2's tests, such as `x is defined`, by their names. */
const TESTS = new Map([
    ["defined", (value) => !(value instanceof Undefined)],
    ["undefined", (value) => value instanceof Undefined],
    ["none", (value) => value === NONE],
    ["boolean", (value) => typeof value === "boolean"],
    ["true", (value) => value === true],
    ["false", (value) => value === false],
    ["integer", (value) => isInt(value)],
    ["float", (value) => value instanceof Float],
    ["number", (value) => toNumber(value) !== undefined],
    ["string", (value) => isText(value)],
    ["mapping", (value) => isDict(value)],
    ["sequence", isSequence],
    ["iterable", (value) => isSequence(value) || value instanceof Generator],
    ["callable", (value) => typeof value === "function" || value instanceof Undefined],
    ["escaped", (value) => value instanceof Markup],
    ["odd", (value) => isRemainder(value, 2, 1)],
    ["even", (value) => isRemainder(value, 2, 0)],
    ["divisibleby", (value, divisor) => isRemainder(value, divisor, 0)],
    ["lower", lettersAre((text) => text.toLowerCase())],
    ["upper", lettersAre((text) => text.toUpperCase())],
    ["sameas", (value, other) => value === other],
    ["in", (value, container) => contains(container, value)],
    ...aliases(["eq", "equalto", "=="], equal),
    ...aliases(["ne", "!="], (a, b) => !equal(a, b)),
    ...aliases(["lt", "lessthan", "<"], (a, b) => compare(a, b, "<") < 0),
    ...aliases(["le", "<="], (a, b) => compare(a, b, "<=") <= 0),
    ...aliases(["gt", "greaterthan", ">"], (a, b) => compare(a, b, ">") > 0),
    ...aliases(["ge", ">="], (a, b) => compare(a, b, ">=") >= 0),
]);
function aliases(names, test) {
    return names.map((name) => [name, test]);
}
/** Applies a test. @throws RenderError if there is no such test, or if it takes another number of arguments */
export function applyTest(name, value, args) {
    return findTest(name, args)(value);
}
/** Returns a test with its arguments. */
export function findTest(name, args) {
    const test = TESTS.get(name);
    if (test === undefined)
        throw new RenderError(`No test named '${name}'.`);
    // A test declares the parameter for its argument only if it takes one.
    const expected = test.length - 1;
    if (args.length !== expected) {
        throw new RenderError(`the test '${name}' takes ${expected} argument(s), not ${args.length}`);
    }
    const [argument = NONE] = args;
    return (value) => test(value, argument);
}
//# sourceMappingURL=is-tests.js.map