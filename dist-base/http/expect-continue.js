/** Requests whose clients wait for `100 Continue` before they send the body. */
const waiting = new WeakSet();
/** Returns true if the client waits for `100 Continue` and did not receive it. It may never send its body. */
export function waitsForContinue(request) {
    return waiting.has(request);
}
/**
 * Sends `100 Continue` when the body is about to be read. Node would send it at once, and so ask for the body of a request that
 * is refused for its key or its size.
 */
export function continueLate(app) {
    app.server.on("checkContinue", (request, response) => {
        waiting.add(request);
        app.server.emit("request", request, response);
    });
    // Node would answer other expectations with 417 and then receive the whole body, whatever its size. HTTP allows ignoring them.
    app.server.on("checkExpectation", (request, response) => {
        app.server.emit("request", request, response);
    });
    app.addHook("preParsing", ({ raw, server }, reply, _payload, next) => {
        const isTooLarge = Number(raw.headers["content-length"]) > (server.initialConfig.bodyLimit ?? Number.POSITIVE_INFINITY);
        if (!isTooLarge && waiting.delete(raw))
            reply.raw.writeContinue();
        next();
    });
}
//# sourceMappingURL=expect-continue.js.map