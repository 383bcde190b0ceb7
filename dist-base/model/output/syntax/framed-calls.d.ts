import { type CallIds, type PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { type CallContext, type CallSyntax } from "./call-syntax.js";
/** Calls between markers. */
export interface CallFrame {
    /** Markers around one or several calls. Models sometimes forget them. */
    readonly section?: {
        readonly begin: string;
        readonly end: string;
    };
    readonly begin: string;
    /** Undefined if a call ends with its arguments. */
    readonly end?: string;
    /** Further markers that the body reads. */
    readonly inner?: readonly string[];
    readonly newId?: CallIds;
    /** Reads the text between `begin` and `end`. Returns true if it is well formed. */
    readonly body: (context: CallContext, call: PendingCall) => Step<boolean>;
}
/** Returns the syntax of calls between markers, with text before, between and after them. */
export declare function framedCalls(frame: CallFrame): CallSyntax;
