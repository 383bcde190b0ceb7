import fp from "fastify-plugin";
import { Counter } from "prom-client";
import { onResponseClose } from "../disconnect.js";
/** Clients can send any method. All other methods share one label value. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/**
 * Counts each request when its response was sent or its client disconnected. The labels have few values whatever clients
 * send: `route` is a pattern of the application, never a path. Register this before plugins that refuse requests.
 */
export const httpRequests = fp((app, { register, name }, done) => {
    const requests = new Counter({
        name,
        help: "HTTP requests by method, route and response status.",
        labelNames: ["method", "route", "status"],
        registers: [register],
    });
    app.addHook("onRequest", (request, reply, next) => {
        onResponseClose(reply, () => {
            requests.inc({
                method: METHODS.has(request.method) ? request.method : "other",
                route: request.routeOptions.config.pattern ?? request.routeOptions.url ?? "unmatched",
                status: reply.raw.headersSent ? String(reply.raw.statusCode) : "none",
            });
        });
        next();
    });
    done();
});
//# sourceMappingURL=http-requests.js.map