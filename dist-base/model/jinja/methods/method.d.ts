import { type Keywords, Undefined, type Value } from "../values/value.js";
/** A method of Python, not yet bound to its object. */
export type Method<Self> = (self: Self, args: readonly Value[], keywords: Keywords) => Value;
/** Stands for a method that would change its object. Jinja2's immutable sandbox refuses these. */
export declare function unsafeMethod(object: Value, name: string): Undefined;
