import fp from "fastify-plugin";
import { onResponseClose } from "./disconnect.js";
import { ApiError } from "./errors.js";
import { addGauge } from "./metrics/add-gauge.js";
/**
 * Limits the memory of all request bodies that are being received. A body counts with its declared size, or with the largest
 * size allowed if it declares none, from its headers until it is parsed. Register this after the plugin that checks keys.
 */
export const bodyBudget = fp((app, { budget, findSender, register, metric }, done) => {
    addGauge(register, metric, "Size of the request bodies that are being received.", () => budget.used);
    app.decorateRequest("releaseBody", null);
    app.addHook("onRequest", (request, reply, next) => {
        const size = declaredSize(request);
        if (size === 0)
            return next();
        const release = budget.take(size, findSender(request));
        if (typeof release === "string")
            return next(busyError(release, budget.bytes));
        request.releaseBody = release;
        // A client that disconnects before its body is complete never gets as far as the next hook.
        onResponseClose(reply, release);
        next();
    });
    app.addHook("preValidation", (request, _reply, next) => {
        request.releaseBody?.();
        next();
    });
    done();
});
/** Returns the size that a body may have; 0 if there is none. */
export function declaredSize({ headers, server }) {
    const limit = server.initialConfig.bodyLimit ?? 0;
    if (headers["transfer-encoding"] !== undefined)
        return limit;
    const length = Number(headers["content-length"] ?? 0);
    // A body over the limit is refused before it is read.
    return length > 0 && length <= limit ? length : 0;
}
function busyError(exceeded, bytes) {
    const limit = `server.body_bytes_in_flight (${bytes} bytes)`;
    const message = exceeded === "all"
        ? `The server is receiving as many request bodies as ${limit} allows. Try again.`
        : `This session is sending more bodies at once than its share of ${limit} allows. Try again when one is received.`;
    return new ApiError("server_busy", message);
}
//# sourceMappingURL=body-budget.js.map