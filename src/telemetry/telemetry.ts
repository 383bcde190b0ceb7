import { Trace, type TraceStart } from "./trace.js";
import { isSampled, type TraceHeaders, traceIdOf, UnsampledTraces } from "./trace-headers.js";
import type { TraceQueue } from "./trace-queue.js";

export interface StartedTrace {
  /** The headers of requests that belong to the trace. They also say if it is sampled. */
  readonly headers: TraceHeaders;
  /** Undefined if the trace is not sampled. */
  readonly trace: Trace | undefined;
}

/** Starts traces and sends them to a collector. */
export class Telemetry implements AsyncDisposable {
  readonly #queue: TraceQueue;
  readonly #ratio: number;
  readonly #unsampled = new UnsampledTraces();

  /** @param ratio share of the traces without a parent that are sampled */
  constructor(queue: TraceQueue, ratio: number) {
    this.#queue = queue;
    this.#ratio = ratio;
  }

  start(start: TraceStart): StartedTrace {
    const { parent } = start;
    // Decided here and not by a sampler of the SDK, because most requests are not sampled, and these should cost next to nothing.
    if (parent && !isSampled(parent)) return { headers: parent, trace: undefined };
    if (!parent && Math.random() >= this.#ratio) return { headers: this.#unsampled.next(), trace: undefined };
    const trace = new Trace(start, {
      id: parent ? traceIdOf(parent) : newId(4),
      newSpanId: () => newId(2),
      onEnd: (ended) => this.#queue.add(ended),
    });
    return { headers: trace.headers, trace };
  }

  /** Sends the spans that are waiting. Never rejects, and takes a few seconds at most. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Returns eight random hexadecimal digits per word. Ids of traces are no secrets, and `crypto.randomBytes` takes far longer. */
function newId(words: number): string {
  let id = "";
  for (let i = 0; i < words; i++) id += ((Math.random() * 2 ** 32) >>> 0).toString(16).padStart(8, "0");
  return id;
}
