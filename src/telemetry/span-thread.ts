import { parentPort, workerData } from "node:worker_threads";
import { readAttributeNames } from "./names.js";
import { ReportingExporter } from "./reporting-exporter.js";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  detectResources,
  envDetector,
  OTLPTraceExporter,
  RandomIdGenerator,
  resourceFromAttributes,
  TracerProvider,
} from "./sdk.js";
import { SpanIds, SpanWriter, type WrittenTrace } from "./span-writer.js";

/** The thread that makes OpenTelemetry's spans of traces and sends them. Only it loads the SDK, an optional dependency. */

export interface SpanThreadData {
  /** Address of the receiver. */
  readonly url: string;
  readonly version: string;
  /** Attributes of the resource, which the environment may replace. */
  readonly resource: Readonly<Record<string, string>>;
  /** `performance.timeOrigin` of the thread whose traces these are: they have its times. */
  readonly timeOrigin: number;
}

export type ToSpanThread =
  /** Each text is a {@link WrittenTrace} in JSON. */
  | { readonly kind: "write"; readonly traces: readonly string[] }
  /** Sends what is left. The thread ends after it. */
  | { readonly kind: "close" };

export type FromSpanThread =
  | { readonly kind: "ready" }
  | { readonly kind: "written"; readonly traces: number }
  | { readonly kind: "log"; readonly level: "warn" | "info"; readonly fields: object; readonly text: string };

/** Spans that may wait for the collector. Further ones are dropped. */
const MAX_WAITING = 4096;
const MAX_BATCH = 256;
/** Attributes of requests, such as the name of a model, have no limit of their own. */
const MAX_ATTRIBUTE_LENGTH = 256;

const port = parentPort;
if (!port) throw new Error("This module is the main file of a thread.");
const tell = (message: FromSpanThread): void => port.postMessage(message);
const log = (level: "warn" | "info") => (fields: object, text: string) => tell({ kind: "log", level, fields, text });

const { url, version, resource, timeOrigin } = workerData as SpanThreadData;
const ids = new SpanIds(new RandomIdGenerator());
const exporter = new ReportingExporter(new OTLPTraceExporter({ url }), { warn: log("warn"), info: log("info") });
const provider = new TracerProvider({
  resource: resourceFromAttributes(resource).merge(detectResources({ detectors: [envDetector] })),
  idGenerator: ids,
  sampler: new AlwaysOnSampler(),
  spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
  spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, maxExportBatchSize: MAX_BATCH })],
});
const tracer = provider.getTracer("rolltape", version);
const writer = new SpanWriter(tracer, readAttributeNames(process.env), ids, timeOrigin);

port.on("message", (message: ToSpanThread) => {
  if (message.kind === "write") {
    for (const each of message.traces) writer.write(JSON.parse(each) as WrittenTrace);
    tell({ kind: "written", traces: message.traces.length });
    return;
  }
  // The exporter has reported its failures.
  void provider
    .shutdown()
    .catch(() => undefined)
    .then(() => port.close());
});
tell({ kind: "ready" });
