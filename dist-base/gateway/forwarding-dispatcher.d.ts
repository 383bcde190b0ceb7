import type { Dispatcher } from "undici";
import { UnsentBody } from "./unsent-body.js";
/** Settings of a forwarded request for which the library has no option. */
export interface Forwarded {
    /** Aborts the call. */
    readonly signal: AbortSignal;
    /** Path and query, byte for byte. The library would resolve `..` in them. */
    readonly target: string;
    /** Called instead of the library's own handler, which logs every failure with its stack. */
    readonly onError: (error: Error) => void;
    /** The body, if it is a stream. The dispatcher sets it. */
    body?: UnsentBody;
}
/**
 * Key in the headers of a request that passes its {@link Forwarded} to {@link forwardingDispatcher}. A symbol is never sent as a
 * header.
 */
export declare const FORWARDED: unique symbol;
/**
 * Returns a dispatcher that sends each request to its target and aborts it with its signal. The library watches the client only
 * once the worker answers, so without the signal a model call would go on after its client disconnected.
 */
export declare function forwardingDispatcher(dispatcher: Dispatcher): Dispatcher;
