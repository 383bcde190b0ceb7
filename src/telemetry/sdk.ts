/** The parts of OpenTelemetry's SDK, an optional dependency. Only `span-thread.ts` may import values of it. */
export { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
export { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
export {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type ReadableSpan,
  type SpanExporter,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
