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

/** The notes of a trace that has ended. */
export type EndedTrace = Pick<Trace, "id" | "parent" | "root" | "children">;

/** Makes OpenTelemetry's spans of traces that have ended. */
export class SpanWriter {
  readonly #tracer: Tracer;
  readonly #names: AttributeNames;
  readonly #ids: SpanIds;

  /** @param tracer records each span that it starts, with the ids that `ids` makes */
  constructor(tracer: Tracer, names: AttributeNames, ids: SpanIds) {
    this.#tracer = tracer;
    this.#names = names;
    this.#ids = ids;
  }

  /** @param timeOrigin milliseconds since 1970 at the trace's time 0 */
  write({ id, parent, root, children }: EndedTrace, timeOrigin: number): void {
    this.#ids.nextTrace = id;
    const caller = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
    const span = this.#start(root, caller, timeOrigin);
    const context = trace.setSpan(caller, span);
    for (const child of children) this.#start(child, context, timeOrigin).end(timeOrigin + child.endTime);
    span.end(timeOrigin + root.endTime);
    this.#ids.nextTrace = undefined;
    this.#ids.nextSpan = undefined;
  }

  #start(recorded: RecordedSpan, context: Context, timeOrigin: number): Span {
    const { name, kind, id, values, failure } = recorded;
    this.#ids.nextSpan = id;
    const startTime = timeOrigin + recorded.startTime;
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
