import fp from "fastify-plugin";
import { onResponseClose } from "./disconnect.js";
/**
 * Logs one line per request when its answer was sent or its client disconnected. The line has no headers, no bodies and no query,
 * because a query may contain a key.
 */
export const accessLog = fp((app, _options, done) => {
    app.addHook("onRequest", (request, reply, next) => {
        const startedAt = performance.now();
        onResponseClose(reply, (complete) => {
            const line = {
                method: request.method,
                path: request.url.split("?", 1)[0],
                status: reply.raw.headersSent ? reply.raw.statusCode : null,
                complete,
                seconds: Math.round(performance.now() - startedAt) / 1000,
            };
            request.log.info(line, "request");
        });
        next();
    });
    done();
});
//# sourceMappingURL=access-log.js.map