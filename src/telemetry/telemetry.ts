import type { SpanIds, SpanWriter } from "./span-writer.js";
import { Trace, type TraceStart } from "./trace.js";
import { isSampled, type TraceHeaders, traceIdOf, UnsampledTraces } from "./trace-headers.js";

export interface StartedTrace {
  /** The headers of requests that belong to the trace. They also say if it is sampled. */
  readonly headers: TraceHeaders;
  /** Undefined if the trace is not sampled. */
  readonly trace: Trace | undefined;
}

/** Starts traces and sends them to a collector. */
export class Telemetry implements AsyncDisposable {
  readonly #writer: SpanWriter;
  readonly #ids: SpanIds;
  readonly #ratio: number;
  readonly #unsampled = new UnsampledTraces();
  readonly #close: () => Promise<void>;

  /**
   * @param ratio share of the traces without a parent that are sampled
   * @param close sends the spans that are waiting, within a short time
   */
  constructor(writer: SpanWriter, ids: SpanIds, ratio: number, close: () => Promise<void>) {
    this.#writer = writer;
    this.#ids = ids;
    this.#ratio = ratio;
    this.#close = close;
  }

  start(start: TraceStart): StartedTrace {
    const { parent } = start;
    // Decided here and not by a sampler of the SDK, because most requests are not sampled, and these should cost next to nothing.
    if (parent && !isSampled(parent)) return { headers: parent, trace: undefined };
    if (!parent && Math.random() >= this.#ratio) return { headers: this.#unsampled.next(), trace: undefined };
    const trace = new Trace(start, {
      id: parent ? traceIdOf(parent) : this.#ids.generateTraceId(),
      newSpanId: () => this.#ids.generateSpanId(),
      onEnd: (ended) => this.#writer.add(ended),
    });
    return { headers: trace.headers, trace };
  }

  /** Sends the spans that are waiting. Never rejects, and takes a few seconds at most. */
  close(): Promise<void> {
    return this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
