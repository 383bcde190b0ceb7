import { type Value } from "./values/value.js";
export type Test = (value: Value, argument: Value) => boolean;
/** Applies a test. @throws RenderError if there is no such test, or if it takes another number of arguments */
export declare function applyTest(name: string, value: Value, args: readonly Value[]): boolean;
/** Returns a test with its arguments. */
export declare function findTest(name: string, args: readonly Value[]): (value: Value) => boolean;
