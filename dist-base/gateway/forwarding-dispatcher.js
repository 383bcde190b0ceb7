import { Readable } from "node:stream";
import { UnsentBody } from "./unsent-body.js";
/**
 * Key in the headers of a request that passes its {@link Forwarded} to {@link forwardingDispatcher}. A symbol is never sent as a
 * header.
 */
export const FORWARDED = Symbol("forwarded");
/**
 * Returns a dispatcher that sends each request to its target and aborts it with its signal. The library watches the client only
 * once the worker answers, so without the signal a model call would go on after its client disconnected.
 */
export function forwardingDispatcher(dispatcher) {
    const request = (options, callback) => {
        const { [FORWARDED]: setting, ...headers } = options.headers;
        const forwarded = setting;
        const { signal, target } = forwarded;
        const abortable = { ...options, path: target, headers: headers, signal };
        if (options.body instanceof Readable)
            abortable.body = forwarded.body = new UnsentBody(options.body);
        let isSettled = false;
        const settle = (error, reply) => {
            if (isSettled)
                return;
            isSettled = true;
            if (error)
                forwarded.onError(error);
            else
                callback(null, reply);
        };
        // The dispatcher does not listen to the signal while it opens the connection.
        signal.addEventListener("abort", () => settle(signal.reason));
        dispatcher.request(abortable, settle);
    };
    // All other methods are those of the dispatcher.
    return Object.assign(Object.create(dispatcher), { request });
}
//# sourceMappingURL=forwarding-dispatcher.js.map