import { RenderError } from "../errors.js";
/**
 * Python's values in JavaScript. A value is a JavaScript value of the same meaning if there is one: a string for `str`,
 * a boolean for `bool`, an array for `list`, a Map for `dict`, a function for everything that can be called. The
 * others have a class of their own. JavaScript's `undefined` is never a value: it stands for the absence of one.
 */
export type Value = boolean | Int | Float | Text | List | Tuple | Generator | Dict | Callable | PythonObject | Undefined;
/** An integer of any size: a number if that is exact, otherwise a bigint. Create it with {@link int}. */
export type Int = number | bigint;
/** A float, even if its value is whole. */
export declare class Float {
    readonly value: number;
    constructor(value: number);
}
/** Python's `str`, escaped or not. */
export type Text = string | Markup;
/** Text that is already HTML: the result of `safe`, `escape` and operations on it, as in Python's `markupsafe`. */
export declare class Markup {
    readonly text: string;
    constructor(text: string);
}
export type List = readonly Value[];
/** A tuple. If `names` are given, its items are attributes as well, as in Python's namedtuple. */
export declare class Tuple {
    readonly items: readonly Value[];
    readonly names: readonly string[];
    constructor(items: readonly Value[], names?: readonly string[]);
}
/** The result of `map`, `select` and other filters: true even if empty; has no length, index access or JSON. */
export declare class Generator {
    readonly yielded: readonly Value[];
    constructor(yielded: readonly Value[]);
}
/** Keys of a dict. JSON has only strings, but templates also use numbers. Those that equal an integer are an {@link Int}. */
export type Key = string | number | bigint;
export type Dict = ReadonlyMap<Key, Value>;
export type Callable = (args: readonly Value[], keywords: Keywords) => Value;
export type Keywords = ReadonlyMap<string, Value>;
export declare const NO_KEYWORDS: Keywords;
/** Any other object: None, and the objects that Jinja itself passes to templates. */
export declare abstract class PythonObject {
    /** The name of its class in Python. */
    abstract readonly typeName: string;
    abstract attribute(name: string): Value | undefined;
    /** Python's `repr`. */
    abstract repr(): string;
}
/** Python's None. It is not JavaScript's null, because `??` would treat that as absent. */
export declare const NONE: PythonObject;
/** A missing name, attribute or item. It prints as the empty text; most other uses are errors. */
export declare class Undefined {
    #private;
    /** @param describe returns the error's message. It is lazy because most undefined values are only tested. */
    constructor(describe: () => string);
    error(): RenderError;
}
/** Returns an integer in the form of {@link Int}. */
export declare function int(value: number | bigint): Int;
export declare const isInt: (value: Value | undefined) => value is Int;
export declare const isText: (value: Value | undefined) => value is Text;
export declare const isList: (value: Value | undefined) => value is List;
export declare const isDict: (value: Value | undefined) => value is Dict;
/** The characters of a text, escaped or not. */
export declare const plainText: (text: Text) => string;
/** Returns the number that Python uses for a value in arithmetic, where booleans are integers; undefined for others. */
export declare function toNumber(value: Value | undefined): number | bigint | undefined;
/** Python's `bool(value)`. */
export declare function truthy(value: Value): boolean;
/** Python's name of a value's type, for messages. */
export declare function typeName(value: Value): string;
