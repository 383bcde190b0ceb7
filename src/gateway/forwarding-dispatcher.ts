import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { UnsentBody } from "./unsent-body.js";

type RequestCallback = (error: Error | null, reply?: Dispatcher.ResponseData) => void;

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
export const FORWARDED = Symbol("forwarded");

/**
 * Returns a dispatcher that sends each request to its target and aborts it with its signal. The library watches the client only
 * once the worker answers, so without the signal a model call would go on after its client disconnected.
 */
export function forwardingDispatcher(dispatcher: Dispatcher): Dispatcher {
  const request = (options: Dispatcher.RequestOptions, callback: RequestCallback) => {
    const { [FORWARDED]: setting, ...headers } = options.headers as Record<string | symbol, unknown>;
    const forwarded = setting as Forwarded;
    const { signal, target } = forwarded;
    const abortable = { ...options, path: target, headers: headers as Record<string, string>, signal };
    if (options.body instanceof Readable) abortable.body = forwarded.body = new UnsentBody(options.body);
    let isSettled = false;
    const settle: RequestCallback = (error, reply) => {
      if (isSettled) return;
      isSettled = true;
      if (error) forwarded.onError(error);
      else callback(null, reply);
    };
    // The dispatcher does not listen to the signal while it opens the connection.
    signal.addEventListener("abort", () => settle(signal.reason as Error));
    dispatcher.request(abortable, settle);
  };
  // All other methods are those of the dispatcher.
  return Object.assign(Object.create(dispatcher) as Dispatcher, { request });
}
