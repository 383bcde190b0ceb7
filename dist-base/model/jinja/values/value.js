import { RenderError } from "../errors.js";
/** A float, even if its value is whole. */
export class Float {
    value;
    constructor(value) {
        this.value = value;
    }
}
/** Text that is already HTML: the result of `safe`, `escape` and operations on it, as in Python's `markupsafe`. */
export class Markup {
    text;
    constructor(text) {
        this.text = text;
    }
}
/** A tuple. If `names` are given, its items are attributes as well, as in Python's namedtuple. */
export class Tuple {
    items;
    names;
    constructor(items, names = []) {
        this.items = items;
        this.names = names;
    }
}
/** The result of `map`, `select` and other filters: true even if empty; has no length, index access or JSON. */
export class Generator {
    yielded;
    constructor(yielded) {
        this.yielded = yielded;
    }
}
export const NO_KEYWORDS = new Map();
/** Any other object: None, and the objects that Jinja itself passes to templates. */
export class PythonObject {
}
class None extends PythonObject {
    typeName = "NoneType";
    attribute() {
        return undefined;
    }
    repr() {
        return "None";
    }
}
/** Python's None. It is not JavaScript's null, because `??` would treat that as absent. */
export const NONE = new None();
/** A missing name, attribute or item. It prints as the empty text; most other uses are errors. */
export class Undefined {
    #describe;
    /** @param describe returns the error's message. It is lazy because most undefined values are only tested. */
    constructor(describe) {
        this.#describe = describe;
    }
    error() {
        return new RenderError(this.#describe());
    }
}
/** Returns an integer in the form of {@link Int}. */
export function int(value) {
    const isSafe = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
    return isSafe ? Number(value) : BigInt(value);
}
export const isInt = (value) => typeof value === "number" || typeof value === "bigint";
export const isText = (value) => typeof value === "string" || value instanceof Markup;
export const isList = (value) => Array.isArray(value);
export const isDict = (value) => value instanceof Map;
/** The characters of a text, escaped or not. */
export const plainText = (text) => (typeof text === "string" ? text : text.text);
/** Returns the number that Python uses for a value in arithmetic, where booleans are integers; undefined for others. */
export function toNumber(value) {
    if (typeof value === "number" || typeof value === "bigint")
        return value;
    if (value instanceof Float)
        return value.value;
    return typeof value === "boolean" ? Number(value) : undefined;
}
/** Python's `bool(value)`. */
export function truthy(value) {
    if (typeof value === "boolean")
        return value;
    if (isText(value))
        return plainText(value) !== "";
    if (isList(value))
        return value.length > 0;
    if (isDict(value))
        return value.size > 0;
    if (value instanceof Tuple)
        return value.items.length > 0;
    const number = toNumber(value);
    if (number !== undefined)
        return Number(number) !== 0;
    return value !== NONE && !(value instanceof Undefined);
}
/** Python's name of a value's type, for messages. */
export function typeName(value) {
    if (isText(value))
        return "str";
    if (isInt(value))
        return "int";
    if (isList(value))
        return "list";
    if (isDict(value))
        return "dict";
    if (typeof value === "boolean")
        return "bool";
    if (typeof value === "function")
        return "function";
    if (value instanceof Float)
        return "float";
    if (value instanceof Tuple)
        return "tuple";
    if (value instanceof Generator)
        return "generator";
    return value instanceof Undefined ? "Undefined" : value.typeName;
}
//# sourceMappingURL=value.js.map