import { createTraceState, type SpanContext } from "@opentelemetry/api";

/** W3C trace context as headers: https://www.w3.org/TR/trace-context/. */
export type TraceHeaders = {
  readonly traceparent: string;
  readonly tracestate?: string;
};

/** Returns the context of the span that sent the headers, which must be well-formed. */
export function toSpanContext({ traceparent, tracestate }: TraceHeaders): SpanContext {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
}

/** Returns the headers that make a span the parent of what another process does. */
export function toTraceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
