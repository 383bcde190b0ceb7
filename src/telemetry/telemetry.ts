import { ROOT_CONTEXT, SpanKind, type Tracer, trace } from "@opentelemetry/api";
import type { AttributeNames } from "./names.js";
import { type AttributeValues, Trace, toAttributes } from "./trace.js";
import { type TraceHeaders, toSpanContext, toTraceHeaders } from "./trace-headers.js";

export interface TraceStart {
  readonly name: string;
  readonly kind: "server" | "internal";
  /** The span that caused this one. Its trace decides if this one is sampled, too. Default: a new trace, which the ratio decides. */
  readonly parent?: TraceHeaders | undefined;
  readonly attributes?: AttributeValues;
}

export interface StartedTrace {
  /** The headers of requests that belong to the trace. They also say if it is sampled. */
  readonly headers: TraceHeaders;
  /** Undefined if the trace is not sampled. */
  readonly trace: Trace | undefined;
}

/** Starts traces and sends them to a collector. */
export class Telemetry implements AsyncDisposable {
  readonly #tracer: Tracer;
  readonly #names: AttributeNames;
  readonly #close: () => Promise<void>;

  /** @param close sends the spans that are waiting, within a short time */
  constructor(tracer: Tracer, names: AttributeNames, close: () => Promise<void>) {
    this.#tracer = tracer;
    this.#names = names;
    this.#close = close;
  }

  start({ name, kind, parent, attributes = {} }: TraceStart): StartedTrace {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind] }, context);
    const headers = toTraceHeaders(span.spanContext());
    if (!span.isRecording()) return { headers, trace: undefined };
    span.setAttributes(toAttributes(this.#names, attributes));
    return { headers, trace: new Trace(span, context, this.#tracer, this.#names) };
  }

  /** Sends the spans that are waiting. Never rejects, and takes a few seconds at most. */
  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const KINDS = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;
