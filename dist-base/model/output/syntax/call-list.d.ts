import { type PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { type CallContext, type CallSyntax } from "./call-syntax.js";
/** Markers around a list of calls: `begin [call, call] end`. */
export interface ListFrame {
    /** The marker before the list. It may end with the list's bracket. */
    readonly begin: string;
    /** Undefined if the calls end with the list. */
    readonly end?: string;
}
/** Reads one item of a list. Returns true if it is a well-formed call. */
export type ReadItem = (context: CallContext, call: PendingCall) => Step<boolean>;
/**
 * Returns the syntax of calls in lists between markers, with text around them.
 *
 * @param frames one for each way in which the models of a family mark the list
 */
export declare function listCalls(frames: readonly ListFrame[], readItem?: ReadItem): CallSyntax;
/**
 * Reads the calls after the opening marker, and the closing marker. Recording is on and has the opening marker.
 *
 * A call is written when it is complete, so what follows cannot take it back. Models forget brackets and markers: a single
 * call counts as a list, a list may end with its bracket or with the marker alone, and at the end of the output it needs
 * neither. What follows a list is text again.
 *
 * @param markers the text of a malformed call ends before one of these
 */
export declare function readCallList(context: CallContext, { begin, end }: ListFrame, readItem: ReadItem, markers: readonly string[]): Step<void>;
