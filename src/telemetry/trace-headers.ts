import { randomBytes } from "node:crypto";

/** W3C trace context as headers: https://www.w3.org/TR/trace-context/. */
export type TraceHeaders = {
  readonly traceparent: string;
  readonly tracestate?: string;
};

/** Returns true if the sender of well-formed headers records the trace. */
export function isSampled({ traceparent }: TraceHeaders): boolean {
  // The second digit of the flags, of which sampled is the lowest bit. Later versions of the header may have more behind the flags.
  return (Number.parseInt(traceparent.charAt(54), 16) & 1) === 1;
}

/** Makes headers of traces that are not sampled. Nothing is recorded of their ids, so a counter behind a random prefix will do. */
export class UnsampledTraces {
  readonly #prefix = `00-${randomBytes(12).toString("hex")}`;
  readonly #suffix = `-${randomBytes(7).toString("hex")}01-00`;
  #count = 0;

  next(): TraceHeaders {
    // Always eight digits. Node writes numbers above 0x7fffffff in hexadecimal four times as slowly.
    const digits = 0x10_00_00_00 + (this.#count++ & 0x3f_ff_ff_ff);
    return { traceparent: this.#prefix + digits.toString(16) + this.#suffix };
  }
}

/** Returns the 32 hexadecimal digits of well-formed headers. */
export function traceIdOf({ traceparent }: TraceHeaders): string {
  return traceparent.slice(3, 35);
}
