import {
  type Attributes,
  type AttributeValue,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { AttributeKey, AttributeNames } from "./names.js";
import type { IdGenerator } from "./sdk.js";
import type { AttributeValues, RecordedSpan, Trace } from "./trace.js";
import { toSpanContext } from "./trace-headers.js";

/** Traces that may wait to be written. Further ones are dropped. */
const MAX_WAITING = 4096;
const INTERVAL_MS = 250;
/** Traces that are written in one turn of the event loop: about half a millisecond. */
const SLICE = 16;

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

/**
 * Makes OpenTelemetry's spans of traces that have ended, of many at a time: it takes less processor time than spans that are made while
 * their requests run.
 */
export class SpanWriter {
  readonly #tracer: Tracer;
  readonly #names: AttributeNames;
  readonly #ids: SpanIds;
  readonly #waiting: Trace[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param tracer records each span that it starts, with the ids that `ids` makes */
  constructor(tracer: Tracer, names: AttributeNames, ids: SpanIds) {
    this.#tracer = tracer;
    this.#names = names;
    this.#ids = ids;
    this.#timer = setInterval(() => this.#writeSlice(), INTERVAL_MS).unref();
  }

  add(ended: Trace): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(ended);
  }

  /** Writes all that are waiting. Traces that end after this are lost. */
  close(): void {
    clearInterval(this.#timer);
    for (const each of this.#waiting.splice(0)) this.#write(each);
  }

  #writeSlice(): void {
    for (const each of this.#waiting.splice(0, SLICE)) this.#write(each);
    if (this.#waiting.length > 0) setImmediate(() => this.#writeSlice());
  }

  #write({ id, parent, root, children }: Trace): void {
    this.#ids.nextTrace = id;
    const caller = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
    const span = this.#start(root, caller);
    const context = trace.setSpan(caller, span);
    for (const child of children) this.#start(child, context).end(child.endTime);
    span.end(root.endTime);
    this.#ids.nextTrace = undefined;
    this.#ids.nextSpan = undefined;
  }

  #start({ name, kind, id, startTime, values, failure }: RecordedSpan, context: Context): Span {
    this.#ids.nextSpan = id;
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
