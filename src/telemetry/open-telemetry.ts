import { randomUUID } from "node:crypto";
import { packageVersion } from "../support/package-version.js";
import { TelemetryError } from "./errors.js";
import { readAttributeNames } from "./names.js";
import { ReportingExporter, type TelemetryLog } from "./reporting-exporter.js";
import { Telemetry } from "./telemetry.js";

type Sdk = typeof import("./sdk.js");

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

const INSTALL =
  "npm install @opentelemetry/sdk-trace@2 @opentelemetry/resources@2 @opentelemetry/exporter-trace-otlp-proto@0.223";

/** Spans that may wait for the collector. Further ones are dropped. */
const MAX_WAITING = 4096;
/** Spans of one request to the collector. They are encoded in one piece, so more would delay calls. */
const MAX_BATCH = 256;
/** Time that a stop waits for the collector. */
const CLOSE_MS = 2_000;
/** Attributes of requests, such as the name of a model, have no limit of their own. */
const MAX_ATTRIBUTE_LENGTH = 256;

/**
 * Starts to send traces to a collector; undefined if none is configured. OpenTelemetry's exporter also reads `OTEL_EXPORTER_OTLP_*`,
 * for example `OTEL_EXPORTER_OTLP_HEADERS`.
 *
 * @throws TelemetryError if the SDK is not installed
 */
export async function openTelemetry(
  { otlp_url: url, sample_ratio: ratio }: TelemetrySettings,
  { service, instanceId = randomUUID(), log }: TelemetryProcess,
  load: () => Promise<Sdk> = () => import("./sdk.js"),
): Promise<Telemetry | undefined> {
  if (url === null) return undefined;
  const sdk = await load().catch((cause: unknown) => {
    const message = `telemetry.otlp_url requires OpenTelemetry's SDK: ${INSTALL}`;
    throw new TelemetryError("telemetry_unavailable", message, { cause });
  });
  const exporter = new ReportingExporter(new sdk.OTLPTraceExporter({ url: tracesUrl(url) }), log);
  const version = packageVersion();
  const own = { "service.name": service, "service.instance.id": instanceId, "service.version": version };
  // Imported late, like the SDK, because it loads a library.
  const { SpanIds, SpanWriter } = await import("./span-writer.js");
  const ids = new SpanIds(new sdk.RandomIdGenerator());
  const provider = new sdk.TracerProvider({
    resource: sdk.resourceFromAttributes(own).merge(sdk.detectResources({ detectors: [sdk.envDetector] })),
    idGenerator: ids,
    sampler: new sdk.AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [
      new sdk.BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_BATCH }),
    ],
  });
  const writer = new SpanWriter(provider.getTracer("rolltape", version), readAttributeNames(process.env), ids);
  let closing: Promise<void> | undefined;
  return new Telemetry(writer, ids, ratio, () => {
    writer.close();
    closing ??= closeInTime(provider.shutdown());
    return closing;
  });
}

/** The path that OTLP over HTTP prescribes, below the base address. */
function tracesUrl(url: string): string {
  const base = url.replace(/\/+$/, "");
  return base.endsWith("/v1/traces") ? base : `${base}/v1/traces`;
}

async function closeInTime(shutdown: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
  // The exporter has reported its failures.
  await Promise.race([shutdown.catch(() => undefined), expired]);
  clearTimeout(timer);
}
