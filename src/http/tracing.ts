import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Trace } from "../telemetry/trace.js";
import type { TraceHeaders } from "../telemetry/trace-headers.js";
import { onResponseClose } from "./disconnect.js";
import type { ApiError } from "./errors.js";
import { readTraceContext } from "./trace-context.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** False: a request without a trace gets none, because the server that it is forwarded to may know the trace of its session. */
    readonly beginsTrace?: boolean;
  }
  interface FastifyRequest {
    /** Null if the request is not sampled, or if there is no telemetry. */
    trace: Trace | null;
    /** The trace headers that the client sent. Null without telemetry. */
    clientTrace: TraceHeaders | null;
    /** The trace headers that what the request causes has. Null without telemetry. */
    traceHeaders: TraceHeaders | null;
  }
}

export interface TracingOptions {
  /** Undefined: requests are not traced. */
  readonly telemetry: Telemetry | undefined;
  readonly isTraced: (request: FastifyRequest) => boolean;
  /** Returns the trace of a request whose client sent none. Default: it gets a new one. */
  readonly findParent?: (request: FastifyRequest) => TraceHeaders | undefined;
}

/** Adds a span for each request. Whatever forwards a request replaces the trace headers of the client by `request.traceHeaders`. */
export const tracing = fp<TracingOptions>((app, { telemetry, isTraced, findParent }, done) => {
  app.decorateRequest("trace", null);
  app.decorateRequest("clientTrace", null);
  app.decorateRequest("traceHeaders", null);
  if (telemetry) {
    app.addHook("onRequest", (request, reply, next) => {
      if (isTraced(request)) startTrace(telemetry, request, reply, findParent);
      next();
    });
  }
  done();
});

/** The log of one request, if there is a log. */
interface BoundLog {
  setBindings?(bindings: object): void;
}

function startTrace(
  telemetry: Telemetry,
  request: FastifyRequest,
  reply: FastifyReply,
  findParent: TracingOptions["findParent"],
): void {
  const { method, routeOptions, raw } = request;
  const clientTrace = (request.clientTrace = readTraceContext(raw.headers)?.headers ?? null);
  if (!clientTrace && routeOptions.config.beginsTrace === false) return;
  const route = routeOptions.url;
  const { headers, trace } = telemetry.start({
    name: route === undefined ? method : `${method} ${route}`,
    kind: "server",
    parent: clientTrace ?? findParent?.(request),
    attributes: { method, route },
  });
  request.traceHeaders = headers;
  if (!trace) return;
  request.trace = trace;
  // The log of a request with a trace of its client has the id already.
  if (!clientTrace) (request.log as BoundLog).setBindings?.({ trace_id: trace.id });
  onResponseClose(reply, (complete) => {
    if (reply.raw.headersSent) trace.set({ status: reply.raw.statusCode });
    if (!complete) trace.fail("call_aborted");
    trace.end();
  });
}

/** Marks the span of a request as failed. */
export function failTrace({ code }: ApiError, request: FastifyRequest | undefined): void {
  request?.trace?.fail(code);
}
