import { ROOT_CONTEXT, SpanKind, type Tracer, trace } from "@opentelemetry/api";
import type { AttributeNames } from "./names.js";
import { type AttributeValues, Trace, toAttributes } from "./trace.js";
import { isSampled, type TraceHeaders, toSpanContext, UnsampledTraces } from "./trace-headers.js";

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
  readonly #ratio: number;
  readonly #unsampled = new UnsampledTraces();
  readonly #close: () => Promise<void>;

  /**
   * @param tracer records each span that it starts
   * @param ratio share of the traces without a parent that are sampled
   * @param close sends the spans that are waiting, within a short time
   */
  constructor(tracer: Tracer, names: AttributeNames, ratio: number, close: () => Promise<void>) {
    this.#tracer = tracer;
    this.#ratio = ratio;
    this.#names = names;
    this.#close = close;
  }

  start({ name, kind, parent, attributes = {} }: TraceStart): StartedTrace {
    // Decided here and not by a sampler of the SDK, because most requests are not sampled, and these should cost next to nothing.
    if (parent && !isSampled(parent)) return { headers: parent, trace: undefined };
    if (!parent && Math.random() >= this.#ratio) return { headers: this.#unsampled.next(), trace: undefined };
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind] }, context);
    span.setAttributes(toAttributes(this.#names, attributes));
    const started = new Trace(span, context, this.#tracer, this.#names);
    return { headers: started.headers, trace: started };
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
