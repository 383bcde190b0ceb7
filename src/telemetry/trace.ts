import type { AttributeKey, StepName } from "./names.js";
import type { TraceHeaders } from "./trace-headers.js";

export type AttributeValues = Readonly<
  Partial<Record<AttributeKey, string | number | boolean | readonly string[] | undefined>>
>;

export type SpanKindName = "server" | "internal" | "client";

/** A span as it is recorded. Times are those of `performance.now()`. */
export interface RecordedSpan {
  name: string;
  readonly kind: SpanKindName;
  /** 16 hexadecimal digits. Undefined: no request had the span as its parent, so it gets an id when it is written. */
  id: string | undefined;
  readonly startTime: number;
  endTime: number;
  /** The attributes; later values replace earlier ones. */
  readonly values: AttributeValues[];
  /** Why the span failed; undefined if it did not. */
  failure: string | undefined;
}

export interface TraceStart {
  readonly name: string;
  readonly kind: "server" | "internal";
  /** The span that caused this one. Its trace decides if this one is sampled, too. Default: a new trace, which the ratio decides. */
  readonly parent?: TraceHeaders | undefined;
  readonly attributes?: AttributeValues;
}

export interface TraceOptions {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly newSpanId: () => string;
  /** Takes the trace when it ends. */
  readonly onEnd: (trace: Trace) => void;
}

/**
 * The span of one request or episode that is sampled, and its steps. It only records times and attributes, because the request is
 * waiting. The span thread makes OpenTelemetry's spans of them.
 */
export class Trace {
  readonly id: string;
  readonly parent: TraceHeaders | undefined;
  readonly root: RecordedSpan;
  /** The steps that are over. */
  readonly children: RecordedSpan[] = [];
  readonly #newSpanId: () => string;
  readonly #onEnd: (trace: Trace) => void;
  readonly #steps: TraceSteps[] = [];

  constructor({ name, kind, parent, attributes }: TraceStart, { id, newSpanId, onEnd }: TraceOptions) {
    this.id = id;
    this.parent = parent;
    this.root = openSpan(name, kind, attributes);
    this.#newSpanId = newSpanId;
    this.#onEnd = onEnd;
  }

  /** The headers of requests that belong to the span. */
  get headers(): TraceHeaders {
    return this.headersOf(this.root);
  }

  /** Sets the name of the span once it is known. */
  rename(name: string): void {
    this.root.name = name;
  }

  set(values: AttributeValues): void {
    this.root.values.push(values);
  }

  /** Returns steps that follow each other. TraceSteps of different objects may run at the same time. */
  steps(values?: AttributeValues): TraceSteps {
    const steps = new TraceSteps(this, values);
    this.#steps.push(steps);
    return steps;
  }

  /** Marks the span as failed, and the steps that are not over. Only the first failure counts. */
  fail(code: string): void {
    if (this.root.failure !== undefined) return;
    this.root.failure = code;
    this.failSteps(code);
  }

  /** Ends the steps that are not over as failed. The trace may go on with others. */
  failSteps(code: string): void {
    for (const steps of this.#steps) steps.leave(code);
  }

  end(): void {
    for (const steps of this.#steps) steps.leave();
    this.root.endTime = performance.now();
    this.#onEnd(this);
  }

  /** Returns the headers that make a span of this trace the parent of what another process does. */
  headersOf(span: RecordedSpan): TraceHeaders {
    span.id ??= this.#newSpanId();
    const traceparent = `00-${this.id}-${span.id}-01`;
    const tracestate = this.parent?.tracestate;
    return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
  }
}

/** Steps of a trace of which at most one runs. */
export class TraceSteps {
  readonly #trace: Trace;
  readonly #values: AttributeValues | undefined;
  #current: RecordedSpan | undefined;

  constructor(trace: Trace, values?: AttributeValues) {
    this.#trace = trace;
    this.#values = values;
  }

  /** The headers of requests that belong to the current step. */
  get headers(): TraceHeaders | undefined {
    return this.#current && this.#trace.headersOf(this.#current);
  }

  /** Ends the current step and starts the next one. */
  enter(name: StepName): void {
    this.leave();
    this.#current = openSpan(name, name === "engine" ? "client" : "internal", this.#values);
  }

  /** @param failure why the current step failed. Default: it did not */
  leave(failure?: string): void {
    const span = this.#current;
    if (!span) return;
    this.#current = undefined;
    span.endTime = performance.now();
    span.failure = failure;
    this.#trace.children.push(span);
  }
}

function openSpan(name: string, kind: SpanKindName, attributes: AttributeValues | undefined): RecordedSpan {
  const startTime = performance.now();
  const values = attributes ? [attributes] : [];
  return { name, kind, id: undefined, startTime, endTime: startTime, values, failure: undefined };
}
