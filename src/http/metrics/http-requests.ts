import fp from "fastify-plugin";
import { Counter, type Registry } from "prom-client";
import { onceSent } from "../disconnect.js";

export interface HttpRequestsOptions {
  readonly register: Registry;
  /** Name of the counter. Gateways use another name than workers, which count forwarded requests too. */
  readonly name: string;
}

/** Clients can send any method. The label has one value for all others. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Counts a request when its answer was sent or its client disconnected. Whatever clients send, labels have few values: the
 * route is a pattern of the application, never a path. Register this before plugins that refuse requests.
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
