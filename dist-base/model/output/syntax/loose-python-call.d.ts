import type { PendingCall } from "../message/pending-call.js";
import type { OutputReader, Step } from "../reader/reader.js";
/**
 * Reads a call in Python's syntax whose strings may contain unescaped quotes and line breaks: a quote ends a string only
 * if another argument or the end of the call follows. The function's name is not checked against the tools.
 *
 * @param end the marker after the calls
 * @returns true if the call is well formed
 */
export declare function readLoosePythonCall(reader: OutputReader, call: PendingCall, end: string): Step<boolean>;
