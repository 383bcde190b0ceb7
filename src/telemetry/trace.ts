import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { AttributeKey, AttributeNames, StepName } from "./names.js";
import { type TraceHeaders, toTraceHeaders } from "./trace-headers.js";

export type AttributeValues = Readonly<
  Partial<Record<AttributeKey, string | number | boolean | readonly string[] | undefined>>
>;

/** The span of one request or episode that is sampled, and its steps. */
export class Trace {
  readonly #span: Span;
  readonly #tracer: Tracer;
  readonly #names: AttributeNames;
  readonly #context: Context;
  readonly #steps: TraceSteps[] = [];
  #hasFailed = false;

  constructor(span: Span, context: Context, tracer: Tracer, names: AttributeNames) {
    this.#span = span;
    this.#tracer = tracer;
    this.#names = names;
    this.#context = trace.setSpan(context, span);
  }

  get id(): string {
    return this.#span.spanContext().traceId;
  }

  /** The headers of requests that belong to the span. */
  get headers(): TraceHeaders {
    return toTraceHeaders(this.#span.spanContext());
  }

  /** Sets the name of the span once it is known. */
  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(values: AttributeValues): void {
    this.#span.setAttributes(toAttributes(this.#names, values));
  }

  /** Returns steps that follow each other. TraceSteps of different objects may run at the same time. */
  steps(values: AttributeValues = {}): TraceSteps {
    const attributes = toAttributes(this.#names, values);
    const steps = new TraceSteps((name) => {
      const kind = name === "engine" ? SpanKind.CLIENT : SpanKind.INTERNAL;
      return this.#tracer.startSpan(name, { kind, attributes }, this.#context);
    });
    this.#steps.push(steps);
    return steps;
  }

  /** Marks the span as failed, and the steps that are not over. Only the first failure counts. */
  fail(code: string): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.failSteps(code);
    markFailed(this.#span, this.#names, code);
  }

  /** Ends the steps that are not over as failed. The trace may go on with others. */
  failSteps(code: string): void {
    for (const steps of this.#steps) {
      if (steps.current) markFailed(steps.current, this.#names, code);
      steps.leave();
    }
  }

  end(): void {
    for (const steps of this.#steps) steps.leave();
    this.#span.end();
  }
}

/** TraceSteps of a trace of which at most one runs. */
export class TraceSteps {
  readonly #start: (name: StepName) => Span;
  #current: Span | undefined;

  constructor(start: (name: StepName) => Span) {
    this.#start = start;
  }

  get current(): Span | undefined {
    return this.#current;
  }

  /** The headers of requests that belong to the current step. */
  get headers(): TraceHeaders | undefined {
    return this.#current && toTraceHeaders(this.#current.spanContext());
  }

  /** Ends the current step and starts the next one. */
  enter(name: StepName): void {
    this.leave();
    this.#current = this.#start(name);
  }

  leave(): void {
    this.#current?.end();
    this.#current = undefined;
  }
}

function markFailed(span: Span, names: AttributeNames, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttributes(toAttributes(names, { errorType: code }));
}

export function toAttributes(names: AttributeNames, values: AttributeValues) {
  const attributes: Record<string, string | number | boolean | string[]> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = names[key as AttributeKey];
    if (name === null || value === undefined) continue;
    attributes[name] = typeof value === "object" ? [...value] : value;
  }
  return attributes;
}
