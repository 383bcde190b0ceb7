import type { PendingCall } from "../message/pending-call.js";
import type { OutputReader, Step } from "../reader/reader.js";
import type { CallContext } from "./call-syntax.js";
export interface PythonCallOptions {
    /** A marker shows that a call comes, so the function need not be a tool of the request. */
    readonly isMarked?: boolean;
    /** Returns the JSON of a value; undefined if it is malformed. By default, values are Python literals. */
    readonly toJson?: (value: string) => string | undefined;
}
/**
 * Reads a call in Python's syntax: `f(a=1, b="x")`. Unless a marker comes before it, it is a call only if the function
 * is a tool of the request.
 *
 * @returns true if the call is well formed
 */
export declare function readPythonCall({ reader, tools }: CallContext, call: PendingCall, { isMarked, toJson }?: PythonCallOptions): Step<boolean>;
/** Reads a Python expression up to a comma or a closing bracket that is not part of it. */
export declare function readExpression(reader: OutputReader): Step<string>;
