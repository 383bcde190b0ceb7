import {
  type Attributes,
  type AttributeValue,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttributeKey, AttributeNames } from "./names.js";
import type { IdGenerator } from "./sdk.js";
import type { AttributeValues, RecordedSpan, Trace } from "./trace.js";
import type { TraceHeaders } from "./trace-headers.js";

/** Makes ids of traces and spans. */
export class SpanIds implements IdGenerator {
  /** The id of the trace, or of the span, that starts next. Undefined: a random one. */
  nextTrace: string | undefined;
  nextSpan: string | undefined;
  readonly #random: IdGenerator;

  constructor(random: IdGenerator) {
    this.#random = random;
  }

  generateTraceId(): string {
    return this.nextTrace ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.nextSpan ?? this.#random.generateSpanId();
  }
}

/** A trace that has ended. */
export type WrittenTrace = Pick<Trace, "id" | "parent" | "root" | "children">;

/** Makes OpenTelemetry's spans of traces that have ended. */
export class SpanWriter {
  readonly #tracer: Tracer;
  readonly #names: AttributeNames;
  readonly #ids: SpanIds;
  readonly #timeOrigin: number;

  /**
   * @param tracer records each span that it starts, with the ids that `ids` makes
   * @param timeOrigin milliseconds since 1970 at the traces' time 0
   */
  constructor(tracer: Tracer, names: AttributeNames, ids: SpanIds, timeOrigin: number) {
    this.#tracer = tracer;
    this.#names = names;
    this.#ids = ids;
    this.#timeOrigin = timeOrigin;
  }

  write({ id, parent, root, children }: WrittenTrace): void {
    this.#ids.nextTrace = id;
    const caller = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
    const span = this.#start(root, caller);
    const context = trace.setSpan(caller, span);
    for (const child of children) this.#start(child, context).end(this.#timeOrigin + child.endTime);
    span.end(this.#timeOrigin + root.endTime);
    this.#ids.nextTrace = undefined;
    this.#ids.nextSpan = undefined;
  }

  #start({ name, kind, id, values, failure, ...times }: RecordedSpan, context: Context): Span {
    this.#ids.nextSpan = id;
    const startTime = this.#timeOrigin + times.startTime;
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], startTime }, context);
    for (const each of values) span.setAttributes(toAttributes(this.#names, each));
    if (failure === undefined) return span;
    span.setStatus({ code: SpanStatusCode.ERROR });
    return span.setAttributes(toAttributes(this.#names, { errorType: failure }));
  }
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

function toAttributes(names: AttributeNames, values: AttributeValues): Attributes {
  const attributes: Attributes = {};
  for (const [key, value] of Object.entries(values)) {
    const name = names[key as AttributeKey];
    if (name !== null && value !== undefined) attributes[name] = value as AttributeValue;
  }
  return attributes;
}

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
