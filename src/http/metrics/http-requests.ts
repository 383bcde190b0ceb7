import fp from "fastify-plugin";
import { Counter, type Registry } from "prom-client";
import { onResponseClose } from "../disconnect.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Path pattern of a route whose `url` is too general. Metrics and the API description show the pattern. */
    readonly pattern?: string;
  }
}

export interface HttpRequestsOptions {
  readonly register: Registry;
  /** Name of the counter. Gateway and server use different names, because the server counts forwarded requests again. */
  readonly name: string;
}

/** Clients can send any method. All other methods share one label value. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Counts each request when its response was sent or its client disconnected. The labels have few values whatever clients
 * send: `route` is a pattern of the application, never a path. Register this before plugins that refuse requests.
 */
export const httpRequests = fp<HttpRequestsOptions>((app, { register, name }, done) => {
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
