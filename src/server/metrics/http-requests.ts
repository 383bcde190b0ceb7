import fp from "fastify-plugin";
import { Counter, type Registry } from "prom-client";
import { onceSent } from "../disconnect.js";

export interface HttpRequestsOptions {
  readonly register: Registry;
  /** Name of the counter. A gateway's differs: a request that it forwards is counted by its worker too. */
  readonly name: string;
}

/** Methods beyond these are one value of the label: clients choose them. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Counts requests when their answer was sent, or when their client disconnected. Labels have few values whatever is sent:
 * the route is a pattern of the application, never a path. To be registered before plugins that refuse requests.
 */
export const httpRequests = fp<HttpRequestsOptions>((app, { register, name }, done) => {
  const requests = new Counter({
    name,
    help: "HTTP requests by method, route and status of the answer.",
    labelNames: ["method", "route", "status"],
    registers: [register],
  });
  app.addHook("onRequest", (request, reply, next) => {
    onceSent(reply, () => {
      requests.inc({
        method: METHODS.has(request.method) ? request.method : "other",
        route: request.routeOptions.url ?? "unmatched",
        status: reply.raw.headersSent ? String(reply.raw.statusCode) : "none",
      });
    });
    next();
  });
  done();
});
