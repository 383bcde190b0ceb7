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
import { type EndedTrace, SpanIds, SpanWriter } from "./span-writer.js";

/** The thread that makes OpenTelemetry's spans of traces and sends them. Only it loads the SDK, an optional dependency. */

export interface SpanThreadData {
  /** Address of the receiver. */
  readonly url: string;
  readonly version: string;
  /** Attributes of the resource, which the environment may replace. */
  readonly resource: Readonly<Record<string, string>>;
}

export type ToSpanThread =
  | {
      readonly kind: "write";
      /** Each is an {@link EndedTrace} in JSON. */
      readonly traces: readonly string[];
      /** Milliseconds since 1970 at the traces' time 0. */
      readonly timeOrigin: number;
    }
  /** Sends the spans that are left. The thread ends after it. */
  | { readonly kind: "close" };

export type FromSpanThread =
  | { readonly kind: "ready" }
  | { readonly kind: "written"; readonly traces: number }
  | { readonly kind: "log"; readonly level: "warn" | "info"; readonly fields: object; readonly text: string };

/** Spans that may wait for the collector. */
const MAX_SPANS = 4096;
/** Attributes of requests, such as the name of a model, have no limit of their own. */
const MAX_ATTRIBUTE_LENGTH = 256;

const port = parentPort;
if (!port) throw new Error("This module is the main file of a thread.");
const tell = (message: FromSpanThread): void => port.postMessage(message);
const log = (level: "warn" | "info") => (fields: object, text: string) => tell({ kind: "log", level, fields, text });

const { url, version, resource } = workerData as SpanThreadData;
const ids = new SpanIds(new RandomIdGenerator());
const exporter = new ReportingExporter(new OTLPTraceExporter({ url }), { warn: log("warn"), info: log("info") });
const provider = new TracerProvider({
  resource: resourceFromAttributes(resource).merge(detectResources({ detectors: [envDetector] })),
  idGenerator: ids,
  sampler: new AlwaysOnSampler(),
  spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
  spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_SPANS })],
});
const writer = new SpanWriter(provider.getTracer("rolltape", version), readAttributeNames(process.env), ids);

/** Spans that the processor surely has room for. It drops others without a word. */
let room = MAX_SPANS;

async function handle(message: ToSpanThread): Promise<void> {
  if (message.kind === "close") {
    // The exporter has reported its failures.
    await provider.shutdown().catch(() => undefined);
    port?.close();
    return;
  }
  for (const text of message.traces) {
    const trace = JSON.parse(text) as EndedTrace;
    const spans = 1 + trace.children.length;
    if (spans > room) {
      await provider.forceFlush().catch(() => undefined);
      room = MAX_SPANS;
    }
    room -= spans;
    writer.write(trace, message.timeOrigin);
  }
  tell({ kind: "written", traces: message.traces.length });
}

/** Messages are handled one after the other. */
let work = Promise.resolve();
port.on("message", (message: ToSpanThread) => {
  work = work.then(() => handle(message));
});
tell({ kind: "ready" });
