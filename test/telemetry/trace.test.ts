import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Trace, type TraceStart } from "../../src/telemetry/trace.js";
import { CLIENT_TRACE, CLIENT_TRACE_ID } from "../helpers/traces.js";

beforeEach(() => {
  let time = 0;
  vi.spyOn(performance, "now").mockImplementation(() => ++time);
});
afterEach(() => void vi.restoreAllMocks());

/** Starts a trace whose spans get the ids 1, 2, 3. */
function startTrace(start: Partial<TraceStart> = {}) {
  const onEnd = vi.fn<(trace: Trace) => void>();
  let spans = 0;
  const newSpanId = () => String(++spans).padStart(16, "0");
  const trace = new Trace({ name: "a", kind: "internal", ...start }, { id: CLIENT_TRACE_ID, newSpanId, onEnd });
  return { trace, onEnd };
}

it("records a span with its times and values, and its steps with theirs", () => {
  const { trace, onEnd } = startTrace({ kind: "server", attributes: { api: "x" } });
  trace.rename("b");
  trace.set({ status: 200 });
  const steps = trace.steps({ choice: 1 });
  steps.enter("queue");
  steps.enter("engine");
  steps.leave();
  steps.leave();
  expect(onEnd).not.toHaveBeenCalled();
  trace.end();
  expect(onEnd.mock.calls).toEqual([[trace]]);
  const child = { id: undefined, values: [{ choice: 1 }], failure: undefined };
  expect(trace.root).toEqual({
    name: "b",
    kind: "server",
    id: undefined,
    startTime: 1,
    endTime: 6,
    values: [{ api: "x" }, { status: 200 }],
    failure: undefined,
  });
  expect(trace.children).toEqual([
    { ...child, name: "queue", kind: "internal", startTime: 2, endTime: 3 },
    { ...child, name: "engine", kind: "client", startTime: 4, endTime: 5 },
  ]);
});

it("ends steps that are not over with the trace, without a failure", () => {
  const { trace } = startTrace();
  trace.steps().enter("wait");
  trace.end();
  expect(trace.children).toEqual([
    expect.objectContaining({ name: "wait", values: [], failure: undefined, endTime: 3 }),
  ]);
});

it("fails once, with the steps that are not over", () => {
  const { trace } = startTrace();
  const [done, running] = [trace.steps(), trace.steps()];
  done.enter("render");
  done.leave();
  running.enter("engine");
  trace.fail("engine_error");
  done.enter("parse");
  trace.fail("call_aborted");
  trace.end();
  expect(trace.root.failure).toBe("engine_error");
  expect(trace.children.map(({ name, failure }) => [name, failure])).toEqual([
    ["render", undefined],
    ["engine", "engine_error"],
    ["parse", undefined],
  ]);
});

it("goes on after steps have failed", () => {
  const { trace } = startTrace();
  const steps = trace.steps();
  steps.enter("engine");
  trace.failSteps("engine_error");
  steps.enter("parse");
  trace.end();
  expect(trace.root.failure).toBeUndefined();
  expect(trace.children.map(({ failure }) => failure)).toEqual(["engine_error", undefined]);
});

it("names its span, or the current step, as the parent of requests, with the caller's tracestate", () => {
  const { trace } = startTrace({ parent: CLIENT_TRACE });
  const steps = trace.steps();
  expect(steps.headers).toBeUndefined();
  steps.enter("engine");
  const header = (span: string) => ({ traceparent: `00-${CLIENT_TRACE_ID}-${span}-01`, tracestate: "rojo=1" });
  expect(steps.headers).toEqual(header("0000000000000001"));
  expect(trace.headers).toEqual(header("0000000000000002"));
  expect(steps.headers).toEqual(header("0000000000000001"));
  steps.leave();
  expect(steps.headers).toBeUndefined();
  expect(trace.children[0]?.id).toBe("0000000000000001");
  expect(Object.keys(startTrace().trace.headers)).toEqual(["traceparent"]);
});
