import { randomUUID } from "node:crypto";
import { packageVersion } from "../support/package-version.js";
import { startThread } from "../support/start-thread.js";
import type { TelemetryLog } from "./reporting-exporter.js";
import type { SpanThreadData } from "./span-thread.js";
import { Telemetry } from "./telemetry.js";
import { TraceQueue } from "./trace-queue.js";

export interface TelemetrySettings {
  /** Base address of the OTLP receiver. Null: no telemetry. */
  readonly otlp_url: string | null;
  /** Share of the traces that begin here which are sampled. */
  readonly sample_ratio: number;
}

export interface TelemetryProcess {
  /** `service.name`, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` sets it. */
  readonly service: string;
  /** `service.instance.id`. Default: a random id. */
  readonly instanceId?: string | undefined;
  readonly log?: TelemetryLog | undefined;
}

/** `service.name` of processes that run episodes. */
export const WORKER_SERVICE = "rolltape-worker";

/**
 * Starts to send traces to a collector; undefined if none is configured. OpenTelemetry's exporter also reads `OTEL_EXPORTER_OTLP_*`,
 * for example `OTEL_EXPORTER_OTLP_HEADERS`.
 *
 * @param startSpanThread replaced in tests
 * @throws TelemetryError if the SDK is not installed, or refuses its settings
 */
export async function openTelemetry(
  { otlp_url: url, sample_ratio: ratio }: TelemetrySettings,
  { service, instanceId = randomUUID(), log }: TelemetryProcess,
  startSpanThread = (workerData: SpanThreadData) =>
    startThread("./span-thread", import.meta.url, { name: "traces", workerData }),
): Promise<Telemetry | undefined> {
  if (url === null) return undefined;
  const version = packageVersion();
  const thread = startSpanThread({
    url: tracesUrl(url),
    version,
    resource: { "service.name": service, "service.instance.id": instanceId, "service.version": version },
  });
  return new Telemetry(await TraceQueue.open(thread, log), ratio);
}

/** The path that OTLP over HTTP prescribes, below the base address. */
function tracesUrl(url: string): string {
  const base = url.replace(/\/+$/, "");
  return base.endsWith("/v1/traces") ? base : `${base}/v1/traces`;
}
