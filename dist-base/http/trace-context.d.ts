import type { IncomingHttpHeaders } from "node:http";
/** W3C trace context of a request: https://www.w3.org/TR/trace-context/. It is passed on unchanged. */
export interface TraceContext {
    /** 32 hexadecimal digits. */
    readonly traceId: string;
    /** The headers to pass on. */
    readonly headers: Readonly<Record<string, string>>;
}
/** Returns undefined if the request has no well-formed `traceparent`. A malformed `tracestate` is left out. */
export declare function readTraceContext({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | undefined;
