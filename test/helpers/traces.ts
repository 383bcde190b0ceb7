import { onTestFinished } from "vitest";
import { openTelemetry, type TelemetryProcess } from "../../src/telemetry/open-telemetry.js";
import type { Telemetry } from "../../src/telemetry/telemetry.js";
import { OtlpReceiver, type ReceiverMode } from "./otlp-receiver.js";

/** Trace headers of a client that has decided that the trace is sampled. */
export const CLIENT_TRACE = {
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  tracestate: "rojo=1",
} as const;
export const CLIENT_TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
export const CLIENT_SPAN_ID = "00f067aa0ba902b7";
/** The same trace, which is not sampled. */
export const UNSAMPLED = { traceparent: CLIENT_TRACE.traceparent.replace(/01$/, "00") } as const;

export interface TestTelemetry {
  readonly telemetry: Telemetry;
  readonly receiver: OtlpReceiver;
  /** Closes the telemetry, and returns the receiver with all spans. */
  readonly flush: () => Promise<OtlpReceiver>;
}

/** Opens telemetry with a receiver of its own. All traces are sampled by default. */
export async function startTelemetry({
  ratio = 1,
  mode = "take",
  ...process
}: { ratio?: number; mode?: ReceiverMode } & Partial<TelemetryProcess> = {}): Promise<TestTelemetry> {
  const receiver = await OtlpReceiver.start(mode);
  const settings = { otlp_url: receiver.url, sample_ratio: ratio };
  const telemetry = await openTelemetry(settings, { service: "rolltape-test", ...process });
  if (!telemetry) throw new Error("there is no telemetry");
  onTestFinished(() => telemetry.close());
  const flush = async () => {
    await telemetry.close();
    return receiver;
  };
  return { telemetry, receiver, flush };
}
