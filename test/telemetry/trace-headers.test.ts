import { expect, it } from "vitest";
import { isSampled, toSpanContext } from "../../src/telemetry/trace-headers.js";
import { CLIENT_SPAN_ID, CLIENT_TRACE, CLIENT_TRACE_ID } from "../helpers/traces.js";

const { traceparent, tracestate } = CLIENT_TRACE;

it.each([
  ["00", false],
  ["01", true],
  ["02", false],
  ["0b", true],
  ["10", false],
])("reads flags %s as sampled: %s", (flags, sampled) => {
  expect(isSampled({ traceparent: traceparent.replace(/01$/, flags) })).toBe(sampled);
});

it("returns the context of the sender", () => {
  const context = { traceId: CLIENT_TRACE_ID, spanId: CLIENT_SPAN_ID, traceFlags: 0x0b, isRemote: true };
  const headers = { traceparent: traceparent.replace(/01$/, "0b") };
  expect(toSpanContext(headers)).toEqual(context);
  const { traceState, ...rest } = toSpanContext({ ...headers, tracestate });
  expect(rest).toEqual(context);
  expect(traceState?.serialize()).toBe("rojo=1");
});
