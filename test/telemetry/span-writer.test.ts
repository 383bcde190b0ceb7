import { expect, it } from "vitest";
import { readAttributeNames } from "../../src/telemetry/names.js";
import { AlwaysOnSampler, type ReadableSpan, TracerProvider } from "../../src/telemetry/sdk.js";
import { SpanIds, SpanWriter, toSpanContext } from "../../src/telemetry/span-writer.js";
import { Trace, type TraceStart } from "../../src/telemetry/trace.js";
import { CLIENT_SPAN_ID, CLIENT_TRACE, CLIENT_TRACE_ID } from "../helpers/traces.js";

const RANDOM_TRACE = "a".repeat(32);
const RANDOM_SPAN = "b".repeat(16);
const SPAN = "c".repeat(16);
const TIME_ORIGIN = 1_700_000_000_000;

/** Returns a writer and the spans that it wrote so far, in the order of their ends. */
function startWriter() {
  const ids = new SpanIds({ generateTraceId: () => RANDOM_TRACE, generateSpanId: () => RANDOM_SPAN });
  const written: ReadableSpan[] = [];
  const nothing = () => Promise.resolve();
  const provider = new TracerProvider({
    idGenerator: ids,
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      { onStart: () => undefined, onEnd: (span) => written.push(span), forceFlush: nothing, shutdown: nothing },
    ],
  });
  return { writer: new SpanWriter(provider.getTracer("test"), readAttributeNames({}), ids), written, ids };
}

function startTrace(start: Partial<TraceStart> = {}): Trace {
  const options = { id: CLIENT_TRACE_ID, newSpanId: () => SPAN, onEnd: () => undefined };
  return new Trace({ name: "a", kind: "server", ...start }, options);
}

it("writes a trace with its ids, below the caller, and leaves later ids to chance", () => {
  const { writer, written, ids } = startWriter();
  const trace = startTrace({ parent: CLIENT_TRACE });
  const steps = trace.steps();
  steps.enter("engine");
  void steps.headers;
  trace.end();
  writer.write(trace, TIME_ORIGIN);
  const [engine, root] = written;
  expect(root?.spanContext()).toMatchObject({ traceId: CLIENT_TRACE_ID, spanId: RANDOM_SPAN });
  expect(root?.parentSpanContext).toMatchObject({ spanId: CLIENT_SPAN_ID, isRemote: true });
  expect(engine?.spanContext()).toMatchObject({ traceId: CLIENT_TRACE_ID, spanId: SPAN });
  expect(engine?.parentSpanContext).toMatchObject({ spanId: RANDOM_SPAN });
  expect([ids.generateTraceId(), ids.generateSpanId()]).toEqual([RANDOM_TRACE, RANDOM_SPAN]);
});

it("gives a span whose id nobody asked for a random one, in a trace after another", () => {
  const { writer, written, ids } = startWriter();
  const trace = startTrace();
  void trace.headers;
  writer.write(trace, TIME_ORIGIN);
  expect(written[0]?.spanContext()).toMatchObject({ traceId: CLIENT_TRACE_ID, spanId: SPAN });
  expect(written[0]?.parentSpanContext).toBeUndefined();
  expect([ids.generateTraceId(), ids.generateSpanId()]).toEqual([RANDOM_TRACE, RANDOM_SPAN]);
});

it("keeps the recorded times", () => {
  const { writer, written } = startWriter();
  const trace = startTrace();
  trace.steps().enter("render");
  trace.end();
  for (const [index, span] of [...trace.children, trace.root].entries()) {
    Object.assign(span, { startTime: 100 + index, endTime: 105 + 2 * index });
  }
  writer.write(trace, TIME_ORIGIN);
  expect(written.map(({ startTime, duration }) => [startTime, duration])).toEqual([
    [
      [1_700_000_000, 100_000_000],
      [0, 5_000_000],
    ],
    [
      [1_700_000_000, 101_000_000],
      [0, 6_000_000],
    ],
  ]);
});

it("leaves out attributes without a value, and those that the conventions do not have", () => {
  const { writer, written } = startWriter();
  const trace = startTrace({ attributes: { api: "x", responseModel: undefined, isStreamed: true } });
  trace.set({ status: 0, finishReasons: ["stop"] });
  trace.fail("engine_error");
  writer.write(trace, TIME_ORIGIN);
  expect(written[0]?.attributes).toEqual({
    "rolltape.api": "x",
    "http.response.status_code": 0,
    "gen_ai.response.finish_reasons": ["stop"],
    "error.type": "engine_error",
  });
});

it("reads the span context from traceparent and tracestate", () => {
  const context = { traceId: CLIENT_TRACE_ID, spanId: CLIENT_SPAN_ID, traceFlags: 0x0b, isRemote: true };
  const headers = { traceparent: CLIENT_TRACE.traceparent.replace(/01$/, "0b") };
  expect(toSpanContext(headers)).toEqual(context);
  const { traceState, ...rest } = toSpanContext({ ...headers, tracestate: CLIENT_TRACE.tracestate });
  expect(rest).toEqual(context);
  expect(traceState?.serialize()).toBe("rojo=1");
});
