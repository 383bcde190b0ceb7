import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import type { CallContext } from "./call-syntax.js";
export interface JsonCallOptions {
    /** Returns true for functions that may be called; by default, all. If set, the name must come before the arguments. */
    readonly isKnown?: (name: string) => boolean;
    /** The field with the function's name. Default: `name`. */
    readonly nameField?: string;
}
/**
 * Reads a call that is one JSON object with `name` and `arguments` or `parameters`; other fields are ignored. The arguments
 * keep their spelling.
 *
 * @returns true if the call is well formed
 */
export declare function readJsonCall(context: CallContext, call: PendingCall, options?: JsonCallOptions): Step<boolean>;
/**
 * Reads the arguments of a call whose name is set, up to text that is not part of them. They are a JSON object and keep
 * their spelling. A tool without parameters may have nothing there, `null` or an empty string.
 *
 * @param ends markers, one of which follows the arguments
 */
export declare function readArguments({ reader, tools }: CallContext, call: PendingCall, ends: readonly string[]): Step<boolean>;
