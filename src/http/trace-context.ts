import type { IncomingHttpHeaders } from "node:http";
import type { TraceHeaders } from "../telemetry/trace-headers.js";

/** W3C trace context of a request: https://www.w3.org/TR/trace-context/. It is passed on unchanged. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The headers to pass on. */
  readonly headers: TraceHeaders;
}

/** Later versions than 00 may add further parts. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[\x21-\x7e]{0,200})?$/;
/** The specification asks for at least 512 characters. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Returns undefined if the request has no well-formed `traceparent`. A malformed `tracestate` is left out. */
export function readTraceContext({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== "string") return undefined;
  const [, version, traceId, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || (version === "00" && rest !== undefined)) return undefined;
  const state = [tracestate].flat().join(",");
  return { traceId, headers: { traceparent, ...(TRACESTATE.test(state) ? { tracestate: state } : {}) } };
}
