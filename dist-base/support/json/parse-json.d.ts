import { type Steps } from "../async/steps.js";
/** Builds values while JSON is parsed, so that each reader keeps exactly the parts of the spelling that it needs. */
export interface JsonBuilder<T> {
    string(value: string): T;
    /** `text` is the number as it is spelled. */
    number(text: string): T;
    literal(value: boolean | null): T;
    array(items: readonly T[]): T;
    /** Entries in order of first appearance. Of equal keys the last value counts, as in Python and JavaScript. */
    object(entries: ReadonlyMap<string, T>): T;
}
/** The text is not JSON (RFC 8259). */
export declare class JsonError extends Error {
    readonly name: string;
}
/** The JSON is nested deeper than the reader allows. */
export declare class JsonDepthError extends JsonError {
    readonly name = "JsonDepthError";
}
/**
 * Parses one JSON value. It keeps its own stack instead of recursing, so that no text can exhaust the call stack.
 *
 * @param maxDepth maximum nesting of arrays and objects
 * @throws JsonError, JsonDepthError
 */
export declare function parseJson<T>(text: string, builder: JsonBuilder<T>, maxDepth?: number): T;
/** {@link parseJson} in steps, for texts of tens of thousands of values. */
export declare function parseJsonInSteps<T>(text: string, builder: JsonBuilder<T>, maxDepth?: number): Steps<T>;
