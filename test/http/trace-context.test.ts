import { describe, expect, it } from "vitest";
import { readTraceContext } from "../../src/http/trace-context.js";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = `00-${ID}-00f067aa0ba902b7-01`;

describe("readTraceContext", () => {
  it("returns the trace id and the headers to pass on", () => {
    const headers = { traceparent: PARENT, tracestate: "congo=t61,rojo=00" };
    expect(readTraceContext(headers)).toEqual({ traceId: ID, headers });
  });

  it("accepts further parts of later versions", () => {
    expect(readTraceContext({ traceparent: `cc${PARENT.slice(2)}-more` })?.traceId).toBe(ID);
  });

  it.each([
    "",
    `${PARENT}-more`,
    `ff${PARENT.slice(2)}`,
    PARENT.toUpperCase(),
    PARENT.replace(ID, "0".repeat(32)),
    PARENT.replace("00f067aa0ba902b7", "0".repeat(16)),
    `${PARENT}\n`,
  ])("ignores %j", (traceparent) => {
    expect(readTraceContext({ traceparent, tracestate: "a=1" })).toBeUndefined();
  });

  it("leaves out a tracestate that is too long or not ASCII", () => {
    for (const tracestate of ["a".repeat(513), "a=é"]) {
      expect(readTraceContext({ traceparent: PARENT, tracestate })?.headers).toEqual({ traceparent: PARENT });
    }
  });
});
